// uninitialized_read: the output is added to, but nobody has set it
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    out[i] = in[i];
#else
    out[i] += in[i];  // found
#endif
}
