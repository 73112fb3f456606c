// expect: runtime_error launch_failure
//
// Zip with blocks of 2048 threads.
//
// A block has at most 1024 threads. CUDA refuses the launch, and a program that never asks for errors goes on as if
// it had happened.

#include <cuda_runtime.h>

__global__ void vector_add(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int threadsPerBlock = 2048;
    int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    vector_add<<<blocksPerGrid, threadsPerBlock>>>(A, B, C, N);  // <- here
    cudaDeviceSynchronize();
}
