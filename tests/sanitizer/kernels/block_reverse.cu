// data_race: the array is read before every thread has written it
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = s[127 - t];  // found
}
