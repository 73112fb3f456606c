// data_race: value and flag are both volatile, and the writer has no fence between them
// launch: 2 32
__device__ volatile int flag;
__device__ volatile float value;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        value = in[7];  // found
#ifdef FIXED
        __threadfence();
#endif
        flag = 1;
    } else {
        while (flag == 0) {}
        out[0] = value;  // found
    }
}
