// data_race: one block clears a total that all blocks add to, itself too
// launch: 4 64
__device__ float total;
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifndef FIXED
    if (blockIdx.x == 0 && threadIdx.x == 0) total = 0;  // found
    __syncthreads();
#endif
    if (threadIdx.x % 32 == 0) atomicAdd(&total, in[threadIdx.x]);  // found
}
