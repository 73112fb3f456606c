// expect: accepted
//
// Half-precision matrix multiplication, step 1: one thread for each element, a float for the sum.
//
// The conversions cost an instruction each; the multiplication and the addition are those of fp32.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += __half2float(A[row * N + k]) * __half2float(B[k * K + column]);
        }
        C[row * K + column] = __float2half(sum);
    }
}
