// uninitialized_read: a line that was discarded holds nothing any more
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    out[t] = in[t];
    __syncthreads();
    if (t == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + 32) : "memory");
    __syncthreads();
#ifdef FIXED
    if (t / 32 == 1) out[t] = in[t];
    __syncthreads();
#endif
    out[128 + t] = out[127 - t];  // found
}
