// A barrier gathers the block's writes, one thread's fence publishes them all.
// launch: 8 96
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[i] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) out[threadIdx.x] = tmp[(threadIdx.x * 5) % (gridDim.x * blockDim.x)];
}
