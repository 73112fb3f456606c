// data_race: the counts are read while others count
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[(int)in[t] % 16], 1);
#ifdef FIXED
    __syncthreads();
#endif
    if (t < 16) out[t] = bins[t];  // found
}
