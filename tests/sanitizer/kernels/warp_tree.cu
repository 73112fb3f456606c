// data_race: a warp's tree relies on lockstep
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];  // found
#ifdef FIXED
        __syncthreads();
#else
        if (half > 32) __syncthreads();
#endif
    }
    if (t == 0) out[0] = s[0];
}
