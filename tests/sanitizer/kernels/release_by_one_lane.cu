// data_race: one lane releases by cuda::atomic_ref what the others of its warp have written
// launch: 2 32
#include <cuda/atomic>
__device__ int ready;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(ready);
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
#ifdef FIXED
        __syncwarp();
#endif
        if (t == 0) flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        out[t] = tmp[t];  // found
    }
}
