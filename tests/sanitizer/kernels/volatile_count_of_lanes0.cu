// data_race: one thread of each block counts with a volatile variable
// launch: 8 64
__device__ volatile int count;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    __syncthreads();
    if (t == 0) {
#ifdef FIXED
        atomicAdd((int*)&count, 1);
#else
        count++;  // found
#endif
    }
}
