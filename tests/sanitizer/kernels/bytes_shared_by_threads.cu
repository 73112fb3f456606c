// data_race: two threads write each byte
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned char s[256];
    int t = threadIdx.x;
    s[2 * t] = t;
#ifdef FIXED
    s[2 * t + 1] = t;
#else
    s[(2 * t + 2) % 256] = t + 1;  // found
#endif
    __syncthreads();
    out[t] = s[t];
}
