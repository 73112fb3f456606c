// A sum under a lock in global memory.
// launch: 8 64
__device__ int lock;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        sum += in[blockIdx.x];
        __threadfence();
        atomicExch(&lock, 0);
    }
}
