// uninitialized_read: a counter that starts with anything
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int count;
    int t = threadIdx.x;
#ifdef FIXED
    if (t == 0) count = 0;
    __syncthreads();
#endif
    if (in[t] > 5) atomicAdd(&count, 1);  // found
    __syncthreads();
    if (t == 0) out[0] = count;
}
