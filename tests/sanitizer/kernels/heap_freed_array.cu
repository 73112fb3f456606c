// trap: an array that malloc() did not give is given to free()
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    float* own = static_cast<float*>(malloc(sizeof(float)));
    *own = in[threadIdx.x];
    out[threadIdx.x] = *own;
#ifdef FIXED
    free(own);
#else
    if (threadIdx.x == 3) free(out);  // found
#endif
}
