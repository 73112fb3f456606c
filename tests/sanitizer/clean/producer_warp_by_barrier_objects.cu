// One warp fills a ring of two tiles by copies, the others use them: a pair of barrier objects for each tile.
// launch: 2 96
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned long long full[2], empty[2];
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    auto address = [](const void* p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](unsigned long long* bar, unsigned parity) {
        for (unsigned over = 0; !over;)
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                         : "=r"(over) : "r"(address(bar)), "r"(parity) : "memory");
    };
    if (t < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address(&full[t])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&empty[t])) : "memory");
    }
    __syncthreads();
    for (int round = 0; round < 8; ++round) {
        int stage = round % 2, turn = round / 2 % 2;
        if (t >= 64) {
            wait(&empty[stage], turn ^ 1);
            for (int j = t - 64; j < 64; j += 32)
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(&s[stage][j])),
                             "l"(in + 64 * round + j) : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&full[stage])) : "memory");
        } else {
            wait(&full[stage], turn);
            sum += s[stage][63 - t];
            asm volatile("{.reg .b64 x; mbarrier.arrive.shared.b64 x, [%0];}" ::"r"(address(&empty[stage])) : "memory");
        }
    }
    if (t < 64) out[blockIdx.x * 64 + t] = sum;
}
