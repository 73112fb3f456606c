// uninitialized_read: each block raises its flag before it writes what the flag stands for
// launch: 8 32
__device__ volatile int ready[8];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    volatile float* sums = tmp;
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    float before = 0;
    if (b > 0) {
        while (ready[b - 1] == 0) {}
        __threadfence();
        before = sums[b - 1];  // found
    }
#ifdef FIXED
    sums[b] = before + in[b];
    __threadfence();
    ready[b] = 1;
#else
    ready[b] = 1;
    sums[b] = before + in[b];
    __threadfence();
#endif
    out[b] = before;
}
