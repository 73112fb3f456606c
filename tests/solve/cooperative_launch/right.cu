// problem: reduce
// expect: accepted
// sizes: N=1 N=3000
//
// A barrier for the whole grid between two steps, with no more blocks than run at the same time.

#include <algorithm>
#include <cooperative_groups.h>

__global__ void sum(const float* input, float* sums, float* output, int N) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = first; i < N; i += stride) sum += input[i];
    sums[first] = sum;
    cooperative_groups::this_grid().sync();
    if (first == 0) {
        float total = 0.0f;
        for (int i = 0; i < stride; i++) total += sums[i];
        output[0] = total;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int device, multiprocessors, fitting;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, sum, 64, 0);
    int blocks = std::min(8, multiprocessors * fitting);
    float* sums;
    cudaMalloc(&sums, blocks * 64 * sizeof(float));
    void* arguments[] = {&input, &sums, &output, &N};
    cudaLaunchCooperativeKernel((void*)sum, dim3(blocks), dim3(64), arguments, 0, 0);
    cudaFree(sums);
}
