// data_race: a lock is given back by a plain store
// launch: 8 32
__device__ int lock;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {}  // found
    __threadfence();
    sum += in[blockIdx.x];
    __threadfence();
#ifdef FIXED
    atomicExch(&lock, 0);
#else
    lock = 0;  // found
#endif
}
