// expect: runtime_error launch_failure
//
// Matrix multiplication with blocks of 64 x 64 threads.
//
// "At most 1024 in x" is true, and so is the other limit: at most 1024 threads in all. 64 * 64 is 4096.

#include <cuda_runtime.h>

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < K) {
        float sum = 0.0f;
        for (int i = 0; i < N; i++) {
            sum += A[row * N + i] * B[i * K + col];
        }
        C[row * K + col] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(64, 64);
    dim3 grid((K + 63) / 64, (M + 63) / 64);
    matrix_multiplication_kernel<<<grid, block>>>(A, B, C, M, N, K);  // <- here
    cudaDeviceSynchronize();
}
