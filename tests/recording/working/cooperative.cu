// A cooperative launch of as many blocks as the GPU holds at once, which the occupancy calls tell.
#include <cooperative_groups.h>

__global__ void spread(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) C[0] = 0;
    cooperative_groups::this_grid().sync();
    for (; i < N; i += gridDim.x * blockDim.x) C[i] = A[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int device, processors, blocks;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spread, 512, 0);
    void* arguments[] = {&A, &C, &N};
    cudaLaunchCooperativeKernel((void*)spread, dim3(processors * blocks), dim3(512), arguments, 0, nullptr);
    int least, block;
    cudaOccupancyMaxPotentialBlockSize(&least, &block, spread, 0, 0);
    spread<<<least, block>>>(A, C, N);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    if (properties.multiProcessorCount != processors) cudaMemset(C, 0, 1);
}
