// uninitialized_read: one block, whose flag only an element with something to say sets
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int found;
    int t = threadIdx.x;
#ifdef FIXED
    if (t == 0) found = 0;
    __syncthreads();
#endif
    bool before = found == n;  // found
    __syncthreads();
    if (in[t] == 5.0f) found = n;
    __syncthreads();
    out[t] = before ? 0.0f : found;
}
