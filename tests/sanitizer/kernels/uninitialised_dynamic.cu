// uninitialized_read: dynamic shared memory of which a part is forgotten
extern __shared__ float s[];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    s[t + 128] = in[t];
#endif
    __syncthreads();
    out[t] = s[t + 64];  // found
}
