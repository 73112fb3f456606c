// data_race: a maximum by compare-and-swap, whose scope is the block, over all blocks
// launch: 4 64
__device__ int most;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int mine = (blockIdx.x * 64 + threadIdx.x) * 37 % 256;
    int seen = most, old;
    while (mine > seen) {
        old = seen;
#ifdef FIXED
        seen = atomicCAS(&most, old, mine);
#else
        seen = atomicCAS_block(&most, old, mine);  // found
#endif
        if (seen == old) break;
    }
}
