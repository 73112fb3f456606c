// deadlock: the tile is empty at first, so that the writers have to begin with the parity of the phase before
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned long long full[2], empty[2];
    __shared__ float s[2][64];
    int t = threadIdx.x % 64;
    auto wait = [](unsigned long long* barrier, unsigned parity) {
        asm volatile("{ .reg .pred over; again: mbarrier.try_wait.parity.shared.b64 over, [%0], %1;"
                     "@over bra done; bra again; done: }"
                     :: "l"(__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");  // found
    };
    auto arrive = [](unsigned long long* barrier) {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
                     :: "l"(__cvta_generic_to_shared(barrier)) : "memory");
    };
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "l"(__cvta_generic_to_shared(&full[t])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "l"(__cvta_generic_to_shared(&empty[t])) : "memory");
    }
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < 8; ++step) {
        int stage = step % 2;
        unsigned parity = step / 2 % 2;
        if (threadIdx.x < 64) {
#ifdef FIXED
            wait(&empty[stage], parity ^ 1);
#else
            wait(&empty[stage], parity);
#endif
            s[stage][t] = in[64 * step + t];
            arrive(&full[stage]);
        } else {
            wait(&full[stage], parity);
            out[64 * step + t] = s[stage][63 - t];
            arrive(&empty[stage]);
        }
    }
}
