// data_race: all threads write their own value to one place
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s;
    int t = threadIdx.x;
#ifdef FIXED
    if (t == 5)
#endif
    s = in[t];  // found
    __syncthreads();
    out[t] = s;
}
