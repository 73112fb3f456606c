// A number that one thread raises by load and store, relaxed, and all others read.
// launch: 3 32
#include <cuda/atomic>
__device__ int version;
extern "C" __global__ void k(float* out, const float* in, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> v(version);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < 20; i++) v.store(v.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);
    else if (v.load(cuda::memory_order_relaxed) > 5) out[blockIdx.x * 32 + threadIdx.x] = 1;
}
