// data_race: a relaxed load, one more, a relaxed store: updates are lost
// launch: 4 32
#include <cuda/atomic>
__device__ int total;
extern "C" __global__ void k(float* out, const float* in, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(total);
    if (threadIdx.x == 0) {
#ifdef FIXED
        sum.fetch_add(3, cuda::memory_order_relaxed);
#else
        sum.store(sum.load(cuda::memory_order_relaxed) + 3, cuda::memory_order_relaxed);  // found
#endif
    }
}
