// expect: runtime_error launch_failure
//
// Transpose with blocks of 64 x 64 threads.
//
// A block has at most 1024 threads in all, and these are 4096. CUDA refuses the launch, and a program that never asks
// for errors goes on as if it had happened.

#include <cuda_runtime.h>

__global__ void transpose(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column * M + row] = input[row * N + column];
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    dim3 block(64, 64);
    dim3 grid((N + 63) / 64, (M + 63) / 64);
    transpose<<<grid, block>>>(input, output, M, N);  // <- here
    cudaDeviceSynchronize();
}
