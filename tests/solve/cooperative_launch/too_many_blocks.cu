// problem: reduce
// expect: runtime_error launch_failure
// sizes: N=3000
//
// More blocks than can run at the same time: those that wait for a place would keep the others waiting for ever.

#include <cooperative_groups.h>

__global__ void sum(const float* input, float* output, int N) {
    if (blockIdx.x == 0 && threadIdx.x == 0) output[0] = 0.0f;
    cooperative_groups::this_grid().sync();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    void* arguments[] = {&input, &output, &N};
    cudaLaunchCooperativeKernel((void*)sum, dim3(100000), dim3(256), arguments, 0, 0);  // <- here
}
