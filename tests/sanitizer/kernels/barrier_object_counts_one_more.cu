// deadlock: the barrier expects a thread more than arrive
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ float s[128];
    int t = threadIdx.x;
#ifdef FIXED
    if (t == 0) init(&barrier, blockDim.x);
#else
    if (t == 0) init(&barrier, blockDim.x + 1);
#endif
    __syncthreads();
    s[t] = in[t];
    barrier.arrive_and_wait();  // found
    out[t] = s[127 - t];
}
