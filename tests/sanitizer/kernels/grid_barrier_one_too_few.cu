// data_race: the barrier between blocks waits for one block too few
// launch: 4 64
__device__ int arrived;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
#ifdef FIXED
    int all = gridDim.x;
#else
    int all = gridDim.x - 1;
#endif
    tmp[i] = in[i];  // found
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile int*)&arrived < all) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = tmp[(i + 40) % 256];  // found
}
