// Each block waits for a word of its own, which the block before it sets: a relay by atomicExch and atomicAdd(p, 0).
// launch: 9 32
__device__ int turn[16];
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int b = blockIdx.x;
    if (threadIdx.x) return;
    if (b) while (atomicAdd(&turn[b], 0) == 0) {}
    __threadfence();
    sum += in[b];
    out[b] = sum;
    __threadfence();
    atomicExch(&turn[b + 1], 1);
}
