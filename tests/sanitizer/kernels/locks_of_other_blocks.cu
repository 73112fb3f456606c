// data_race: a lock that others keep taking and leaving protects nothing for who takes another one
// launch: 6 32
__device__ int locks[3];
__device__ float sums[3];
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 4; ++i) {
#ifdef FIXED
        int mine = blockIdx.x % 3;
#else
        int mine = (blockIdx.x + i) % 3;
#endif
        int* lock = &locks[blockIdx.x % 3];
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        sums[mine] += in[i];  // found
        __threadfence();
        atomicExch(lock, 0);
    }
}
