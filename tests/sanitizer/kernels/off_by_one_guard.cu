// out_of_bounds: the guard admits one element too many
// launch: 9 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i < n) out[i] = in[i];
#else
    if (i <= n) out[i] = in[i];  // found
#endif
}
