// data_race: mbarrier by assembly: the consumer tests the wrong parity, which is over already
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(8) unsigned long long bar;
    __shared__ float s[32];
    int t = threadIdx.x;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(b) : "memory");
    __syncthreads();
    if (t < 32) {
        s[t] = in[t];  // found
        asm volatile("{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%0]; }" ::"r"(b) : "memory");
    } else {
#ifdef FIXED
        int parity = 0;
#else
        int parity = 1;
#endif
        int done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(b), "r"(parity) : "memory");
        out[t] = s[t - 32];  // found
    }
}
