// data_race: blocks set bits in bytes that they have in common
// launch: 4 4
__device__ unsigned char flags[64];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * 4 + threadIdx.x;
#ifdef FIXED
    flags[i] |= 1;
#else
    flags[i / 8] |= 1 << i % 8;  // found
#endif
}
