// data_race: the next tile overwrites one that others still read
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        s[t] = in[tile * 128 + t];  // found
        __syncthreads();
        for (int i = 0; i < 128; ++i) sum += s[(t + i) % 128];
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[t] = sum;
}
