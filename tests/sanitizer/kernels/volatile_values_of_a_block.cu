// data_race: a block's volatile values are handed on behind its barrier, but without a fence, and read by a whole block
// launch: 4 64
__device__ volatile int ready[8];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, b = blockIdx.x;
    volatile float* values = tmp;
    if (b > 0) {
        if (t == 0)
            while (ready[b - 1] == 0) {}
        __syncthreads();
        out[b * 64 + t] = values[(b - 1) * 64 + 63 - t];  // found
    }
    values[b * 64 + t] = in[t] + b;  // found
    __syncthreads();
    if (t == 0) {
#ifdef FIXED
        __threadfence();
#endif
        ready[b] = 1;
    }
}
