// data_race: the barrier is only in the branch that does not need it
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    bool wide = n > 4096;
#ifdef FIXED
    wide = true;
#endif
    if (wide) __syncthreads();
    out[t] = s[(t + 32) % 128];  // found
}
