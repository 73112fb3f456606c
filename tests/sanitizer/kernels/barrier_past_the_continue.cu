// barrier_divergence: a row that is too short goes on to the next one without the barriers of a function
// launch: 1 64
__device__ __noinline__ void exchange(float* s, int t) {
    __syncthreads();  // found
    float other = s[t ^ 1];
    __syncthreads();
    s[t] = other;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int row = 0; row < n / 256; ++row) {
#ifdef FIXED
        exchange(s, t);
#else
        if (in[row * 64 + t] > 150) continue;
        exchange(s, t);
#endif
        out[row * 64 + t] = s[t];
    }
}
