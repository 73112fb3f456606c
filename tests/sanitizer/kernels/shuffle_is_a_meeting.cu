// data_race: nothing stands between the write and the neighbour's read
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    float v = 0;
#ifdef FIXED
    v = __shfl_xor_sync(0xffffffffu, in[t], 1);
#endif
    out[t] = s[31 - t] + v;  // found
}
