// data_race: the warp that fills the tile does not ask whether it has been read
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __mbarrier_t full, empty;
    __shared__ float s[32];
    int t = threadIdx.x;
    float sum = 0;
    if (t == 0) __mbarrier_init(&full, 64), __mbarrier_init(&empty, 64);
    __syncthreads();
    if (t >= 64) return;
    auto meet = [](__mbarrier_t* barrier) {
        __mbarrier_token_t token = __mbarrier_arrive(barrier);
        while (!__mbarrier_test_wait(barrier, token)) continue;
    };
    for (int round = 0; round < 8; ++round) {
        if (t >= 32) s[t - 32] = in[32 * round + t - 32];  // found
        meet(&full);
        if (t < 32) sum += s[31 - t];  // found
#ifdef FIXED
        meet(&empty);
#endif
    }
    if (t < 32) out[t] = sum;
}
