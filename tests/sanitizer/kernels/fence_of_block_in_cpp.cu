// data_race: a fence of C++ whose scope is the block, between blocks
// launch: 2 32
#include <cuda/atomic>
__device__ int ready;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
#ifdef FIXED
constexpr auto SCOPE = cuda::thread_scope_device;
#else
constexpr auto SCOPE = cuda::thread_scope_block;
#endif
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        tmp[0] = in[5];  // found
        cuda::atomic_thread_fence(cuda::memory_order_release, SCOPE);
        Flag(ready).store(1, cuda::memory_order_relaxed);
    } else {
        while (Flag(ready).load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, SCOPE);
        out[0] = tmp[0];  // found
    }
}
