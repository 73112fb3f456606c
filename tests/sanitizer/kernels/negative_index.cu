// out_of_bounds: the first thread reads before the array
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    out[t] = in[t] - (t > 0 ? in[t - 1] : 0);
#else
    out[t] = in[t] - in[t - 1];  // found
#endif
}
