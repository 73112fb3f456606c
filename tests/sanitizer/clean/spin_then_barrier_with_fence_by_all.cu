// Thread 0 spins on a volatile flag, all meet, and everybody fences.
// launch: 2 64
__device__ volatile int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];
        __threadfence();
        __syncthreads();
        if (t == 0) flag = 1;
    } else {
        if (t == 0) while (!flag) {}
        __syncthreads();
        __threadfence();
        out[t] = tmp[63 - t];
    }
}
