// expect: wrong_answer unwritten_output
//
// Matrix multiplication whose grid has rows in x and columns in y.
//
// The kernel takes columns from x. With a square C nothing shows; with any other one direction has too many blocks and
// the other too few.

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
    dim3 block(16, 16);
    dim3 grid((M + 15) / 16, (K + 15) / 16);
    matrix_multiplication_kernel<<<grid, block>>>(A, B, C, M, N, K);
}
