// data_race: the first lane of each warp fences, but the others of its warp have written as well
// launch: 8 64
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[i] = in[i];  // found
#ifdef FIXED
    __threadfence();
#else
    if (threadIdx.x % 32 == 0) __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) out[threadIdx.x] = tmp[(threadIdx.x * 5) % (gridDim.x * blockDim.x)];  // found
}
