// data_race: the lanes' volatile values are met by __syncwarp(), but not fenced, before one lane raises the flag
// launch: 2 32
__device__ volatile int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    volatile float* values = tmp;
    if (blockIdx.x == 0) {
        values[t] = in[t];  // found
        __syncwarp();
        if (t == 0) {
#ifdef FIXED
            __threadfence();
#endif
            flag = 1;
        }
    } else {
        if (t == 0)
            while (flag == 0) {}
        __syncwarp();
        out[t] = values[31 - t];  // found
    }
}
