// barrier_divergence: the threads beyond the end skip the barrier of the last round, and go on
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, end = n - 784;
    s[t] = 0;
    __syncthreads();
    for (int i = t; i < 256; i += 64) {
#ifdef FIXED
        if (i < end) s[t] += in[i];
        __syncthreads();
#else
        if (i < end) {
            s[t] += in[i];
            __syncthreads();  // found
        }
#endif
    }
    out[t] = s[t];
}
