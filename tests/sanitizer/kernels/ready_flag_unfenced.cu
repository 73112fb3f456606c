// data_race: one block raises a flag for another without a fence between data and flag
// launch: 2 32
__device__ int ready;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 1) {
        tmp[t] = in[t];  // found
#ifdef FIXED
        __threadfence();
#endif
        __syncwarp();
        if (t == 0) atomicExch(&ready, 1);
    } else {
        if (t == 0) while (atomicAdd(&ready, 0) == 0) {}
        __syncwarp();
#ifdef FIXED
        __threadfence();
#endif
        out[t] = tmp[t];  // found
    }
}
