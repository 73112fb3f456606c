// data_race: a block waits for a volatile flag and reads on without a fence
// launch: 2 32
__device__ volatile int ready;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
        __threadfence();
        __syncwarp();
        if (t == 0) ready = 1;
    } else {
        while (ready == 0) {}
#ifdef FIXED
        __threadfence();
#endif
        out[t] = tmp[t];  // found
    }
}
