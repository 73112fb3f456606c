// data_race: bins are counted in before they are cleared
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t >= 112) bins[t - 112] = 0;
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&bins[(int)in[t] % 16], 1);  // found
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
