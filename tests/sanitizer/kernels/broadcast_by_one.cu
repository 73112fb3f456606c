// data_race: one thread's value is read by all before it is there
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s;
    int t = threadIdx.x;
    if (t == 127) s = in[t];
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = s;  // found
}
