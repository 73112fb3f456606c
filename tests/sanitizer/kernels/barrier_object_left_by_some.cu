// deadlock: the threads beyond the end leave without arriving
#include <cuda/barrier>
// launch: 3 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, count = 150;
    if (t == 0) init(&barrier, 64);
    __syncthreads();
#ifdef FIXED
    if (i >= count) {
        barrier.arrive_and_drop();
        return;
    }
#else
    if (i >= count) return;
#endif
    s[t] = in[i];
    barrier.arrive_and_wait();  // found
    out[i] = s[(t + 1) % min(64, count - blockIdx.x * 64)];
}
