// out_of_bounds: the halo needs one element more than the tile has
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    __shared__ float s[65];
#else
    __shared__ float s[64];
#endif
    int t = threadIdx.x;
    s[t] = in[t];
    if (t == 0) s[64] = in[64];  // found
    __syncthreads();
    out[t] = s[t] + s[t + 1];  // found
}
