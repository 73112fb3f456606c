// data_race: a flag is set without a fence before it
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float value;
    __shared__ int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 32) {
        value = in[3];
#ifdef FIXED
        __threadfence_block();
#endif
        atomicExch(&flag, 1);
    }
    if (t == 0) {
        while (atomicAdd(&flag, 0) == 0) {}
        __threadfence_block();
        out[0] = value;  // found
    }
}
