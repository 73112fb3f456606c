// data_race: a scan reads and writes one array in one step
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        float v = t >= by ? s[t - by] : 0;
#ifdef FIXED
        __syncthreads();
#endif
        s[t] += v;  // found
        __syncthreads();
    }
    out[t] = s[t];
}
