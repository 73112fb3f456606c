// data_race: a thread that has arrived at a barrier goes on at once
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[t] = in[t];
    auto token = bar.arrive();
#ifdef FIXED
    bar.wait(std::move(token));
#endif
    out[t] = s[127 - t];  // found
}
