// data_race: release and acquire, but of the block's scope, between blocks
// launch: 2 32
#include <cuda/atomic>
__device__ int ready;
#ifdef FIXED
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
#else
using Flag = cuda::atomic_ref<int, cuda::thread_scope_block>;
#endif
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        tmp[0] = in[5];  // found
        Flag(ready).store(1, cuda::memory_order_release);  // found
    } else {
        while (Flag(ready).load(cuda::memory_order_acquire) == 0) {}  // found
        out[0] = tmp[0];  // found
    }
}
