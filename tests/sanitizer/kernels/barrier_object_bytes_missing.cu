// deadlock: more bytes are announced than come
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned long long barrier;
    __shared__ float s[128];
    int t = threadIdx.x;
    unsigned at = __cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at) : "memory");
#ifdef FIXED
        unsigned bytes = 128 * 4;
#else
        unsigned bytes = 128 * 8;
#endif
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
                     :: "r"(at), "r"(bytes) : "memory");
    }
    __syncthreads();
    s[t] = in[t];
    __syncthreads();
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 4;" :: "r"(at) : "memory");
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(at) : "memory");  // found
    out[t] = s[127 - t];
}
