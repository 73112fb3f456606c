// data_race: blocks protect a sum by different locks, and each has left its own lock before
// launch: 2 32
__device__ int locks[2];
__device__ float sum, own[2];
__device__ void add(int* lock, float* what, float value) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *what += value;  // found
    __threadfence();
    atomicExch(lock, 0);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x;
#ifdef FIXED
    int* lock = &locks[0];
#else
    int* lock = &locks[b];
#endif
    for (int i = 0; i < 20; ++i) add(lock, &own[b], in[i]);
    add(lock, &sum, in[b]);
    for (int i = 0; i < 20; ++i) add(lock, &own[b], in[i]);
}
