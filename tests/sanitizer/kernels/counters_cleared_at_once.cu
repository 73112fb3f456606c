// data_race: a 64-bit store clears two counters of which others count one, by exchanges
// launch: 3 32
__device__ unsigned counts[2];
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
#ifndef FIXED
    if (blockIdx.x == 0) *(unsigned long long*)counts = 0;  // found
#endif
    atomicCAS(&counts[1], 0u, blockIdx.x);  // found
}
