// data_race: one block of several counts as if it were alone
// launch: 4 32
__device__ double sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifndef FIXED
    if (blockIdx.x == 2) {
        atomicAdd_block(&sum, in[threadIdx.x]);  // found
        return;
    }
#endif
    atomicAdd(&sum, in[threadIdx.x]);  // found
}
