// Semaphores and latches of the library, within a block and between blocks; flags by cuda::atomic_ref.
// launch: 1 1 first, 4 64
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
using Latch = cuda::latch<cuda::thread_scope_device>;
__device__ __align__(16) char semaphore[sizeof(Semaphore)];
__device__ __align__(16) char latch[sizeof(Latch)];
__device__ int turns;
extern "C" __global__ void first(float* out, const float* in, float* tmp, int n) {
    new (semaphore) Semaphore(1);
    new (latch) Latch(4);
}
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tmp[i] = in[i];
    __syncthreads();
    if (t == 0) reinterpret_cast<Latch*>(latch)->arrive_and_wait();
    __syncthreads();
    out[i] = tmp[255 - i];
    if (t == 0) reinterpret_cast<Semaphore*>(semaphore)->acquire();
    __syncthreads();
    out[256 + t] = tmp[i];
    __syncthreads();
    if (t == 0) reinterpret_cast<Semaphore*>(semaphore)->release();
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(turns);
    if (t == 0)
        while (turn.load(cuda::memory_order_acquire) != blockIdx.x) {}
    __syncthreads();
    out[320 + t] = in[t] + blockIdx.x;
    __syncthreads();
    if (t == 0) turn.store(blockIdx.x + 1, cuda::memory_order_release);
}
