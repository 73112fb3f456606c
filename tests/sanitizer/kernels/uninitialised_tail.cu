// uninitialized_read: the tail of the tile is never written
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t < 100) s[t] = in[t];
#ifdef FIXED
    else s[t] = 0;
#endif
    __syncthreads();
    out[t] = s[127 - t];  // found
}
