// data_race: a fence of the block publishes nothing to other blocks
// launch: 8 32
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        tmp[blockIdx.x] = in[blockIdx.x];  // found
#ifdef FIXED
        __threadfence();
#else
        __threadfence_block();
#endif
        last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = tmp[threadIdx.x];  // found
}
