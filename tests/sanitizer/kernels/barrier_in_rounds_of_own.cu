// barrier_divergence: some threads have a round less, leave the loop, and have nothing left to do
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, end = n - 784;
#ifdef FIXED
    for (int i = t; i < (end + 63) / 64 * 64; i += 64) {
        s[t] = i < end ? in[i] : 0;
        __syncthreads();
        if (i < end) out[i] = s[t ^ 1];
        __syncthreads();
    }
#else
    for (int i = t; i < end; i += 64) {
        s[t] = in[i];
        __syncthreads();  // found
        out[i] = s[t ^ 1];
        __syncthreads();  // found
    }
#endif
}
