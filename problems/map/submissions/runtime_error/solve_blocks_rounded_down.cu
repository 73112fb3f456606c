// expect: runtime_error launch_failure
//
// Map whose number of blocks is rounded down.
//
// N / 256 drops the last, incomplete block, so the tail of the array is never computed. For fewer than 256 elements
// there is no block at all, which CUDA refuses: a grid has at least one block. (N + 255) / 256 rounds up.

#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* X, float* Y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        Y[i] = 1.0f / (1.0f + expf(-X[i]));
    }
}

extern "C" void solve(const float* X, float* Y, int N) {
    int threadsPerBlock = 256;
    int blocksPerGrid = N / threadsPerBlock;
    sigmoid_kernel<<<blocksPerGrid, threadsPerBlock>>>(X, Y, N);  // <- here
    cudaDeviceSynchronize();
}
