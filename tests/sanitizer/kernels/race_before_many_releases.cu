// data_race: blocks write one place, and one of them then makes releases that nobody waits for
// launch: 2 32
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
#ifdef FIXED
    tmp[32 * blockIdx.x + threadIdx.x] = blockIdx.x;
#else
    tmp[threadIdx.x] = blockIdx.x;  // found
#endif
    if (blockIdx.x == 0)
        for (int i = 0; i < 100; ++i) {
            __threadfence();
            if (threadIdx.x == 0) atomicAdd(&flag, 1);
        }
}
