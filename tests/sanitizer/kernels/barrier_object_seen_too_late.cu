// data_race: who waits for the first arrival has not seen what was written after it, late as it may come to the wait
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __mbarrier_t full[2], empty;
    __shared__ float s[32];
    int t = threadIdx.x;
    float sum = 0;
    if (t == 0) __mbarrier_init(&full[0], 32), __mbarrier_init(&full[1], 32), __mbarrier_init(&empty, 64);
    __syncthreads();
    if (t < 32) {
        for (int round = 0; round < 2; ++round) {
            s[t] = in[32 * round + t];  // found
            __mbarrier_arrive(&full[round]);
            __mbarrier_token_t token = __mbarrier_arrive(&empty);
#ifdef FIXED
            while (!__mbarrier_test_wait(&empty, token)) continue;
#endif
        }
    } else if (t < 64) {
        for (int round = 0; round < 2; ++round) {
            for (unsigned over = 0; !over;)
                asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                             : "=r"(over) : "r"((unsigned)__cvta_generic_to_shared(&full[round])) : "memory");
            sum += s[63 - t];  // found
            __mbarrier_arrive(&empty);
        }
        out[t - 32] = sum;
    }
}
