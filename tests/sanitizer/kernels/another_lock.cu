// data_race: blocks take different locks for one sum
// launch: 8 32
__device__ int locks[2];
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
#ifdef FIXED
    int* lock = &locks[0];
#else
    int* lock = &locks[blockIdx.x % 2];
#endif
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    sum += in[blockIdx.x];  // found
    __threadfence();
    atomicExch(lock, 0);
}
