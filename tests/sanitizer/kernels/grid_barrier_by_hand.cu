// data_race: blocks count each other in without a fence
// launch: 4 64
__device__ int arrived;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tmp[i] = in[i];  // found
    __syncthreads();
    if (t == 0) {
#ifdef FIXED
        __threadfence();
#endif
        atomicAdd(&arrived, 1);
        while (*(volatile int*)&arrived < gridDim.x) {}
#ifdef FIXED
        __threadfence();
#endif
    }
    __syncthreads();
    out[i] = tmp[(i + 40) % 256];  // found
}
