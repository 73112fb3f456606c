// data_race: a block resets a counter that others already count with
// launch: 4 32
__device__ int total;
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifndef FIXED
    if (threadIdx.x == 0) total = 0;  // found
    __syncthreads();
#endif
    atomicAdd(&total, (int)in[threadIdx.x]);  // found
}
