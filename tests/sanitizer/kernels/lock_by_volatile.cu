// data_race: a lock taken by looking and writing
// launch: 4 32
__device__ volatile int lock;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
#ifdef FIXED
        while (atomicCAS((int*)&lock, 0, 1) != 0) {}
#else
        while (lock != 0) {}
        lock = 1;
#endif
        __threadfence();
        sum = sum + in[blockIdx.x];  // found
        __threadfence();
        lock = 0;
    }
}
