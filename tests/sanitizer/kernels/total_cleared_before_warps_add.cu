// data_race: thread 0 clears a shared total, and the barrier before the warps' sums is missing
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0;  // found
#ifdef FIXED
    __syncthreads();
#endif
    float v = in[threadIdx.x];
    for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, v);  // found
    __syncthreads();
    out[threadIdx.x] = total;
}
