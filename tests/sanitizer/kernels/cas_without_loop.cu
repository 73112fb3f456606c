// data_race: who fails to take the lock goes on all the same
// launch: 4 32
__device__ int lock;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
#ifdef FIXED
        while (atomicCAS(&lock, 0, 1) != 0) {}
#else
        atomicCAS(&lock, 0, 1);
#endif
        __threadfence();
        sum = sum + in[blockIdx.x];  // found
        __threadfence();
        atomicExch(&lock, 0);
    }
}
