// remark: threads write the same value to one place
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) found = 0;
    __syncthreads();
#ifdef FIXED
    if (in[t] > 50) atomicOr(&found, 1);
#else
    if (in[t] > 50) found = 1;  // found
#endif
    __syncthreads();
    out[t] = found;
}
