// A barrier, a semaphore and waiting flags of the library, between blocks.
// launch: 1 1 first, 2 32
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>
using Barrier = cuda::barrier<cuda::thread_scope_device>;
using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
__device__ __align__(16) char barrier[sizeof(Barrier)];
__device__ __align__(16) char semaphore[sizeof(Semaphore)];
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ float sum;
extern "C" __global__ void first(float* out, const float* in, float* tmp, int n) {
    init(reinterpret_cast<Barrier*>(barrier), 64);
    new (semaphore) Semaphore(1);
}
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    tmp[i] = in[i];
    reinterpret_cast<Barrier*>(barrier)->arrive_and_wait();
    out[i] = tmp[63 - i];
    if (threadIdx.x != 0) return;
    reinterpret_cast<Semaphore*>(semaphore)->acquire();
    float so_far = sum += in[i];
    reinterpret_cast<Semaphore*>(semaphore)->release();
    if (blockIdx.x == 0) {
        tmp[100] = so_far;
        flag.store(1, cuda::memory_order_release);
        flag.notify_all();
    } else {
        flag.wait(0, cuda::memory_order_acquire);
        out[100] = tmp[100];
    }
}
