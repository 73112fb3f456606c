// uninitialized_read: the maximum begins with what is there
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int most;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#ifdef FIXED
    if (t == 0) most = 0;
    __syncthreads();
#endif
    atomicMax(&most, static_cast<int>(in[i] * in[i]) + t);  // found
    __syncthreads();
    out[i] = most;
}
