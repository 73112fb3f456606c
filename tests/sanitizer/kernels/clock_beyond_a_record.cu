// data_race: a warp reads what another wrote before 200,000 exchanges of its own, with no barrier between
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int s[64];
    int v = threadIdx.x;
    s[threadIdx.x] = v;  // found
    if (threadIdx.x >= 32)
        for (int i = 0; i < 200000; ++i) v += __shfl_xor_sync(~0u, v, 1);
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = v + s[63 - threadIdx.x];  // found
}
