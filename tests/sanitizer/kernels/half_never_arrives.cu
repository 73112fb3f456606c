// barrier_divergence: half of a warp waits for the other half, which waits at the block's barrier
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    float x = in[threadIdx.x];
#ifdef FIXED
    x += __shfl_down_sync(~0u, x, 8);
#else
    if (threadIdx.x % 32 < 16) x += __shfl_down_sync(~0u, x, 8);  // found
#endif
    __syncthreads();
    out[threadIdx.x] = x;
}
