// data_race: value and flag are stored relaxed by cuda::atomic_ref; a release is missing
// launch: 2 32
#include <cuda/atomic>
__device__ int flag, value;
extern "C" __global__ void k(float* out, const float* in, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag), v(value);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        v.store((int)in[7], cuda::memory_order_relaxed);  // found
#ifdef FIXED
        ready.store(1, cuda::memory_order_release);
#else
        ready.store(1, cuda::memory_order_relaxed);
#endif
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        out[0] = v.load(cuda::memory_order_relaxed);  // found
    }
}
