// data_race: the first lane of a warp acquires what another warp of the block has released, and all read it
// launch: 1 64
#include <cuda/atomic>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    __shared__ int ready;
    int t = threadIdx.x;
    if (t == 0) ready = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
    if (t < 32) {
        s[t] = in[t];  // found
        __syncwarp();
        if (t == 0) flag.store(1, cuda::memory_order_release);
    } else {
        if (t == 32)
            while (flag.load(cuda::memory_order_acquire) == 0) {}
#ifdef FIXED
        __syncwarp();
#endif
        out[t - 32] = s[t - 32];  // found
    }
}
