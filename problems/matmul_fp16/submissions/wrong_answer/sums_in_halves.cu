// expect: wrong_answer low_precision
//
// Half-precision matrix multiplication whose sums are halves too.
//
// __hfma rounds once, but to 11 bits, and it does so N times.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        half sum = __float2half(0.0f);
        for (int k = 0; k < N; k++) {
            sum = __hfma(A[row * N + k], B[k * K + column], sum);
        }
        C[row * K + column] = sum;
    }
}
