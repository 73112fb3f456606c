// data_race: shifting in place needs a barrier between reading and writing
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[129];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t == 0) s[128] = 0;
    __syncthreads();
    float v = s[t + 1];
#ifdef FIXED
    __syncthreads();
#endif
    s[t] = v;  // found
    __syncthreads();
    out[t] = s[t];
}
