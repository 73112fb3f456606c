// barrier_divergence: warps go through different numbers of rounds, and meet at different barriers
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    int rounds = 2;
#else
    int rounds = t < 32 ? 1 : 2;
#endif
    for (int i = 0; i < rounds; ++i) {
        __syncthreads();  // found
        if (n < 0) s[t] += i;
    }
    __syncthreads();  // found
    out[t] = s[63 - t];
}
