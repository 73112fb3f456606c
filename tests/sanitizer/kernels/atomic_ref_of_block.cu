// data_race: an atomic_ref of the block's scope on what blocks have in common
// launch: 4 32
#include <cuda/atomic>
__device__ int most;
#ifdef FIXED
using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
#else
using Ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
#endif
extern "C" __global__ void k(float* out, const float* in, int n) {
    Ref(most).fetch_max(blockIdx.x * 32 + threadIdx.x, cuda::memory_order_relaxed);  // found
}
