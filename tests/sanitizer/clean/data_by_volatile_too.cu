// Flag and data are both read as volatile; the writer fences.
// launch: 2 32
__device__ volatile int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];
        __threadfence();
        __syncwarp();
        if (t == 0) flag = 1;
    } else {
        while (!flag) {}
        __syncwarp();
        out[t] = ((volatile float*)tmp)[31 - t];
    }
}
