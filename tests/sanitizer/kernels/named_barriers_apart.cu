// data_race: each half of the block has a barrier of its own, and then reads what the other has written
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, half = t / 64;
    s[t] = in[t];  // found
    for (int round = 0; round < 4; ++round) {
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        out[t] = s[half * 64 + (t + round) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = s[(t + 64) % 128];  // found
}
