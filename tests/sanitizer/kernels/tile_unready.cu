// data_race: a tile is read before all of it is there
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        s[t] = in[tile * 128 + t];
#ifdef FIXED
        __syncthreads();
#endif
        for (int i = 0; i < 128; ++i) sum += s[(t + i) % 128];  // found
        __syncthreads();
    }
    out[t] = sum;
}
