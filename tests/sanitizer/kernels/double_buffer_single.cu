// data_race: two buffers are needed where the barrier is only once a round
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    float sum = 0;
    for (int r = 0; r < 6; ++r) {
#ifdef FIXED
        float* b = s[r % 2];
#else
        float* b = s[0];
#endif
        b[t] = in[r * 128 + t];  // found
        __syncthreads();
        sum += b[(t + 64) % 128];  // found
    }
    out[t] = sum;
}
