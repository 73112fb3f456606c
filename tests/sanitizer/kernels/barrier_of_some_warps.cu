// barrier_divergence: some threads go on to the next barrier
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
#ifndef FIXED
    if (t < 64)
#endif
        __syncthreads();
    out[t] = s[t];
    __syncthreads();  // found
    out[t] += 1;
}
