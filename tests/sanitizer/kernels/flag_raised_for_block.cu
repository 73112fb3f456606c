// data_race: the fence is for all blocks, the flag behind it only for the own one
// launch: 2 64
__device__ int ready;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
        __threadfence();
        __syncthreads();
#ifdef FIXED
        if (t == 0) atomicExch(&ready, 1);
#else
        if (t == 0) atomicExch_block(&ready, 1);  // found
#endif
    } else {
        if (t == 0) {
            while (atomicAdd(&ready, 0) == 0) {}  // found
            __threadfence();
        }
        __syncthreads();
        out[t] = tmp[63 - t];  // found
    }
}
