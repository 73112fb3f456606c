// deadlock: the readers wait for the writers at a barrier object, the writers for the readers at the block's barrier
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t == 0) init(&full, 128);
    __syncthreads();
    if (t < 64) {
        s[t] = in[t];
#ifndef FIXED
        __syncthreads();
#endif
        (void)full.arrive();
    } else {
        full.arrive_and_wait();  // found
        out[t - 64] = s[127 - t];
    }
}
