// data_race: a relaxed store hands nothing on
// launch: 2 32
#include <cuda/atomic>
__device__ int ready;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        tmp[0] = in[5];  // found
#ifdef FIXED
        Flag(ready).store(1, cuda::memory_order_release);
#else
        Flag(ready).store(1, cuda::memory_order_relaxed);
#endif
    } else {
        while (Flag(ready).load(cuda::memory_order_acquire) == 0) {}
        out[0] = tmp[0];  // found
    }
}
