// expect: accepted
//
// Map with a grid that fits the GPU instead of the array.
//
// Added to solve_plain: the occupancy calls tell which block size fills a multiprocessor and how many blocks run at
// the same time. The grid is no larger than that, and each thread takes elements a grid's width apart, so the cost of
// starting a block is paid once for many elements. Short arrays still get no more blocks than they need.

#include <algorithm>
#include <cuda_runtime.h>

__global__ void sigmoid(const float* __restrict__ input, float* __restrict__ output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int blocks = 0;
    int threads = 0;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, sigmoid);
    blocks = std::min(blocks, (N + threads - 1) / threads);
    sigmoid<<<blocks, threads>>>(input, output, N);
}
