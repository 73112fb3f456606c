// remark: each half of the warp names itself alone, and takes values of the other half
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    float value = in[threadIdx.x];
#ifdef FIXED
    unsigned mask = 0xffffffff;
#else
    unsigned mask = threadIdx.x < 16 ? 0xffff : 0xffff0000;
#endif
    value += __shfl_xor_sync(mask, value, 16);  // found
    out[threadIdx.x] = value;
}
