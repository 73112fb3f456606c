// data_race: blocks count themselves in by a volatile variable
// launch: 4 64
__device__ volatile int arrived;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tmp[i] = in[i];
    __syncthreads();
    if (t == 0) {
        __threadfence();
#ifdef FIXED
        atomicAdd((int*)&arrived, 1);
#else
        arrived++;  // found
#endif
        while (arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = tmp[(i + 40) % 256];
}
