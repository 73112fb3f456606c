// data_race: threads come to a barrier object that one of them may not have initialised yet
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
#ifdef FIXED
    __syncthreads();
#endif
    s[t] = in[t];
    bar.arrive_and_wait();  // found
    out[t] = s[127 - t];
}
