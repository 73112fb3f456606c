// barrier_divergence: lanes shuffle under a mask that names the lower half only
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    unsigned mask = 0xFFFFFFFF;
#else
    unsigned mask = n == 1024 ? 0x0000FFFF : 0;
#endif
    out[threadIdx.x] = __shfl_xor_sync(mask, in[threadIdx.x], 1);  // found
}
