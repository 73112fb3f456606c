// Partial tiles are handed on by a plain flag behind __syncthreads() and a fence by one thread, and waited for by one.
// launch: 5 64
__device__ int done[8];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, b = blockIdx.x;
    if (b < 4) {
        tmp[b * 64 + t] = in[t] * b;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            *(volatile int*)&done[b] = 1;
        }
    } else {
        float sum = 0;
        for (int p = 0; p < 4; ++p) {
            if (t == 0) {
                while (*(volatile int*)&done[p] == 0) {}
                __threadfence();
            }
            __syncthreads();
            sum += tmp[p * 64 + t];
        }
        out[t] = sum;
    }
}
