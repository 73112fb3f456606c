// barrier_divergence: a warp misses the barrier of the second round, and meets the other one round later ever after
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int round = 0; round < n / 128; ++round) {
        s[t] += round;
#ifndef FIXED
        if (round != 1 || t < 32)
#endif
            __syncthreads();  // found
    }
    out[t] = s[t];
}
