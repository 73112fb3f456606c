// data_race: a warp hands over to another of its block, but only its first lane has fenced
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        s[t] = in[t];  // found
#ifdef FIXED
        __syncwarp();
#endif
        if (t == 0) {
            __threadfence_block();
            flag = 1;
        }
    } else {
        while (flag == 0) {}
        __threadfence_block();
        out[t - 32] = s[t - 32];  // found
    }
}
