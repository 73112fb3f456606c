// data_race: neighbours overlap by half a word
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ short s[258];
    int t = threadIdx.x;
#ifdef FIXED
    s[t] = t;
#else
    s[t] = t;  // found
    s[t + 1] = t;  // found
#endif
    __syncthreads();
    out[t] = s[t];
}
