// barrier_divergence: each branch has its own barrier
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    float v = in[t];
#ifdef FIXED
    v = t < 64 ? v * 2 : v + 1;
    __syncthreads();
#else
    if (t < 64) {
        v *= 2;
        __syncthreads();
    } else {
        v += 1;
        __syncthreads();  // found
    }
#endif
    out[t] = v;
}
