// problem: map
// expect: accepted
// sizes: N=1 N=5000
//
// The occupancy calls and the kernel's own attributes choose the launch.

#include <algorithm>

__global__ void __launch_bounds__(512) sigmoid(const float* input, float* output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int blocks, threads, resident;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, sigmoid, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sigmoid, threads, 0);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, sigmoid);
    if (threads < 32 || threads > attributes.maxThreadsPerBlock || resident < 1 || blocks % resident != 0) return;
    sigmoid<<<std::min(blocks, (N + threads - 1) / threads), threads>>>(input, output, N);
}
