// data_race: one warp hands a value to another through volatile shared memory, without a fence
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int flag;
    __shared__ volatile float value;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        value = in[5];  // found
#ifdef FIXED
        __threadfence_block();
#endif
        flag = 1;
    }
    if (t == 32) {
        while (flag == 0) {}
        out[0] = value;  // found
    }
}
