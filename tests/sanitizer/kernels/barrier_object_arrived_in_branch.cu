// deadlock: only the lanes with something to do arrive
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __mbarrier_t barrier;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&barrier, 128);
    __syncthreads();
    __mbarrier_token_t token = 0;
    if (in[t] > 3) {
        s[t] = in[t];
#ifndef FIXED
        token = __mbarrier_arrive(&barrier);
#endif
    } else {
        s[t] = 0;
    }
#ifdef FIXED
    token = __mbarrier_arrive(&barrier);
#endif
    if (in[t] > 3)
        while (!__mbarrier_test_wait(&barrier, token)) continue;  // found
    __syncthreads();
    out[t] = s[127 - t];
}
