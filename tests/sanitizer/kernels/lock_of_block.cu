// data_race: a lock whose swap is one for the threads of a block only
// launch: 8 32
__device__ int lock;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
#ifdef FIXED
    while (atomicCAS(&lock, 0, 1) != 0) {}
#else
    while (atomicCAS_block(&lock, 0, 1) != 0) {}  // found
#endif
    __threadfence();
    sum += in[blockIdx.x];  // found
    __threadfence();
    atomicExch(&lock, 0);  // found
}
