// data_race: a block looks by atomic loads and volatile reads at what another one writes plainly
// launch: 2 32
#include <cuda/atomic>
__device__ int a[32], b[32];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> one(a[t]);
    if (blockIdx.x == 0) {
        out[t] = one.load(cuda::memory_order_relaxed) + *(volatile int*)&b[t];  // found
    } else {
#ifdef FIXED
        one.store(t, cuda::memory_order_relaxed);
        *(volatile int*)&b[t] = t;
#else
        a[t] = t;  // found
        b[t] = t;  // found
#endif
    }
}
