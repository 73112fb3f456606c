// A lock by atomicCAS guards a volatile counter; fences on both sides.
// launch: 6 32
__device__ int lock;
__device__ volatile int count;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1)) __nanosleep(10);
        __threadfence();
        count = count + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
