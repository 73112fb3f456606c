// out_of_bounds: the last block has more threads than elements
// launch: 9 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n) return;
#endif
    out[i] = in[i];  // found
}
