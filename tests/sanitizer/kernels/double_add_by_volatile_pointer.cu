// data_race: blocks add to a volatile sum
// launch: 4 32
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    volatile float* sum = tmp;
    if (blockIdx.x == 0 && threadIdx.x == 0) sum[0] = 0;
    float v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0)
#ifdef FIXED
        sum[blockIdx.x] = v;
#else
        sum[blockIdx.x / 4] += v;  // found
#endif
}
