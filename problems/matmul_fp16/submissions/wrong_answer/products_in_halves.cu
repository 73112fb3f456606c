// expect: wrong_answer
//
// Half-precision matrix multiplication with products in halves.
//
// The sum is a float, but what it adds has lost its lower half already.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += __half2float(__hmul(A[row * N + k], B[k * K + column]));
        }
        C[row * K + column] = __float2half(sum);
    }
}
