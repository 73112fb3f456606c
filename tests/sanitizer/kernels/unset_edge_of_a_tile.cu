// uninitialized_read: the last column of a tile has no value, and its product with zero is added
// launch: 2 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    if (t < 31) tile[t] = in[t];
#ifdef FIXED
    else tile[t] = 0.0f;
#endif
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < 32; ++j) {
        float weight = j < 31 ? 1.0f : 0.0f;
        sum += weight * tile[j];  // found
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}
