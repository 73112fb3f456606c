// uninitialized_read: only the even elements are written, all are read
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    tmp[t] = in[t];
#else
    if (t % 2 == 0) tmp[t] = in[t];
#endif
    __syncthreads();
    out[t] = tmp[t];  // found
}
