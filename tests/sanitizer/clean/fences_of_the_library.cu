// Relaxed atomics with cuda::atomic_thread_fence on both sides, by one lane, and by all.
// launch: 3 32
#include <cuda/atomic>
__device__ int first, each;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> a(first), b(each);
    if (blockIdx.x == 0) {
        tmp[t] = in[t];
        __syncwarp();
        if (t == 0) {
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            a.store(1, cuda::memory_order_relaxed);
        }
    } else if (blockIdx.x == 1) {
        if (t == 0) {
            while (a.load(cuda::memory_order_relaxed) == 0) {}
            cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        }
        __syncwarp();
        tmp[t] += 1;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        b.fetch_add(1, cuda::memory_order_relaxed);
    } else {
        while (b.load(cuda::memory_order_relaxed) < 32) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        out[t] = tmp[31 - t];
    }
}
