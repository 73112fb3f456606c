// data_race: the reader's fence is one for its own block
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
#else
        __threadfence_block();
#endif
        out[t] = tmp[t];  // found
    }
}
