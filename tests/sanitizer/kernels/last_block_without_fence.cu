// data_race: the last block reads partial sums that no fence has published
// launch: 8 64
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ bool last;
    float sum = __reduce_add_sync(~0u, (int)in[blockIdx.x * 64 + threadIdx.x]);
    if (threadIdx.x == 0) {
        tmp[blockIdx.x] = sum;  // found
#ifdef FIXED
        __threadfence();
#endif
        last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = tmp[threadIdx.x];  // found
}
