// The first thread takes the lock for its block, between barriers of the block.
// launch: 6 96
__device__ int lock;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    if (t == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
    }
    __syncthreads();
    out[t] = in[95 - t] + blockIdx.x;
    out[t + 96] = in[t];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicExch(&lock, 0);
    }
}
