// uninitialized_read: a flag that only a block with something to say sets
// launch: 6 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int found;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#ifdef FIXED
    if (t == 0) found = 0;
    __syncthreads();
#endif
    if (blockIdx.x % 2 == 0 && t == 5) found = n;
    __syncthreads();
    out[i] = found == n ? in[i] : 0.0f;  // found
}
