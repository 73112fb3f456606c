// expect: wrong_answer
//
// Half-precision matrix multiplication that cuts off digits.
//
// The result has to be rounded to the nearest half.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += __half2float(A[row * N + k]) * __half2float(B[k * K + column]);
        }
        C[row * K + column] = __float2half_rz(sum);
    }
}
