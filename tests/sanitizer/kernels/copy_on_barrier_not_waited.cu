// data_race: a copy that a barrier object tracks is over when that has been waited for, and not before
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[t], &in[t], sizeof(float), bar);
    auto token = bar.arrive();
#ifdef FIXED
    bar.wait(std::move(token));
#endif
    __syncthreads();
    out[t] = s[127 - t];  // found
}
