// Three warps ask for a phase again and again while the fourth computes what it brings, or gives up waiting for itself.
// launch: 1 128
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __mbarrier_t full, never;
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&full, 128), __mbarrier_init(&never, 2);
    __syncthreads();
    if (t < 32) {
        float x = in[t];
        for (int i = 0; i < 200000; ++i) x = x * 0.5f + 1;
        if (t == 5) {
            __mbarrier_token_t token = __mbarrier_arrive(&never);
            for (int i = 0; i < 100000 && !__mbarrier_test_wait(&never, token); ++i) continue;
        }
        s[t] = x;
    }
    __mbarrier_token_t token = __mbarrier_arrive(&full);
    while (!__mbarrier_test_wait(&full, token)) continue;
    out[t] = s[31 - t % 32];
}
