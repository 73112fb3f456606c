// expect: wrong_answer
// problem: matmul
// row: 19
//
// Multiplies in half precision and adds in single.

#include <cuda_fp16.h>

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) sum += __half2float(__hmul(__float2half(A[row * N + i]), __float2half(B[i * K + col])));
    C[row * K + col] = sum;
}
