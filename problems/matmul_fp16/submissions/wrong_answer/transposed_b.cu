// expect: wrong_answer wrong_value
//
// Half-precision matrix multiplication with the transpose of B.
//
// The student wanted both matrices to be read along rows.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += __half2float(A[row * N + k]) * __half2float(B[(column * N + k) % (N * K)]);
        }
        C[row * K + column] = __float2half(sum);
    }
}
