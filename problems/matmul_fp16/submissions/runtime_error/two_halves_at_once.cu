// expect: runtime_error misaligned
//
// Half-precision matrix multiplication by half2.
//
// A half2 has to begin at a multiple of four bytes. Rows of an odd length don't.

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        int k = 0;
        for (; k + 1 < N; k += 2) {
            float2 two = __half22float2(*reinterpret_cast<const half2*>(&A[row * N + k]));  // <- here
            sum += two.x * __half2float(B[k * K + column]) + two.y * __half2float(B[(k + 1) * K + column]);
        }
        for (; k < N; k++) {
            sum += __half2float(A[row * N + k]) * __half2float(B[k * K + column]);
        }
        C[row * K + column] = __float2half(sum);
    }
}
