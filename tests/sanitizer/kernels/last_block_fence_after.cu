// data_race: the fence comes after the atomic that it should come before
// launch: 6 64
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ bool last;
    tmp[blockIdx.x * 64 + threadIdx.x] = 2 * in[threadIdx.x];  // found
#ifdef FIXED
    __threadfence();
    __syncthreads();
#endif
    if (threadIdx.x == 0) last = atomicAdd(&count, 1) == gridDim.x - 1;
    __threadfence();
    __syncthreads();
    if (last) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += tmp[b * 64 + threadIdx.x];  // found
        out[threadIdx.x] = sum;
    }
}
