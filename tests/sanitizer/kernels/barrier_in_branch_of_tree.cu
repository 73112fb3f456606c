// barrier_divergence: only the threads that add come to the barrier of a round, and the others leave
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
#ifdef FIXED
        if (t < half) s[t] += s[t + half];
        __syncthreads();
#else
        if (t < half) {
            s[t] += s[t + half];
            __syncthreads();  // found
        }
#endif
    }
    if (t == 0) out[0] = s[0];
}
