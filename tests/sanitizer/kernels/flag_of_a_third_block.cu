// data_race: a block waits for the flag of one that does not pass on what the first block has written
// launch: 3 32
__device__ int first, other;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
        __threadfence();
        __syncwarp();
        if (t == 0) atomicExch(&first, 1);
    } else if (blockIdx.x == 1) {
        out[t] = in[t];
#ifndef FIXED
        __threadfence();
#endif
        while (*(volatile int*)&first == 0) {}
#ifdef FIXED
        __threadfence();
#endif
        __syncwarp();
        if (t == 0) atomicExch(&other, 1);
    } else {
        while (atomicAdd(&other, 0) == 0) {}
        __threadfence();
        out[32 + t] = tmp[t];  // found
    }
}
