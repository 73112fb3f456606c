// trap: a pointer that has moved on is given back
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* at = static_cast<float*>(malloc(8 * sizeof(float)));
    for (int j = 0; j < 8; ++j) *at++ = in[i] + j;
    out[i] = at[-1];
#ifdef FIXED
    at -= 8;
#else
    at -= 7;
#endif
    free(at);  // found
}
