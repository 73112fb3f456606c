// data_race: each block waits for the one before it, but the last for the first
// launch: 3 32
__device__ int ready[3];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, before = b - 1;
#ifndef FIXED
    if (b == 2) before = 0;
#endif
    if (b > 0) {
        while (atomicAdd(&ready[before], 0) == 0) {}
        __threadfence();
    }
    tmp[b] = b > 0 ? tmp[b - 1] + in[b] : in[b];  // found
    __threadfence();
    atomicExch(&ready[b], 1);
}
