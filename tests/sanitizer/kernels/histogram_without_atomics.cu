// data_race: counting needs atomics
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&bins[(int)in[t] % 16], 1);
#else
    bins[(int)in[t] % 16]++;  // found
#endif
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
