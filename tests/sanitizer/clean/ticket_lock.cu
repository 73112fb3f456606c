// A lock that serves warps of all blocks in the order in which they come.
// launch: 6 64
__device__ int next, total;
__device__ volatile int serving;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x % 32 != 0) return;
    int mine = atomicAdd(&next, 1);
    while (serving != mine) {}
    __threadfence();
    total += mine;
    __threadfence();
    serving = mine + 1;
}
