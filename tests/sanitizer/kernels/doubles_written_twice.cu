// data_race: the grid is larger than the output and wraps around
// launch: 4 64
__device__ double sums[192];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    if (i < 192) sums[i] = in[i];
#else
    sums[i % 192] = in[i];  // found
#endif
}
