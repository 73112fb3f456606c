// Atomics of the block's scope on what one block has for itself, in a launch after one in which another had it.
// launch: 4 64 first, 4 64
#include <cuda/atomic>
__device__ int counts[4];
__device__ int seen[4];
extern "C" __global__ void first(float* out, const float* in, int n) { atomicAdd_block(&counts[3 - blockIdx.x], 1); }
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    atomicAdd_block(&here, 1);
    atomicMax_block(&counts[blockIdx.x], threadIdx.x);
    cuda::atomic_ref<int, cuda::thread_scope_block>(seen[blockIdx.x]).fetch_add(1, cuda::memory_order_acq_rel);
    __syncthreads();
    atomicAdd(&counts[blockIdx.x], here);
}
