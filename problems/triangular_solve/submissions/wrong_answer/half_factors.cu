// expect: wrong_answer low_precision
//
// Triangular solve with results in fp16.
//
// Each row takes over the errors of those above it.

#include <cuda_fp16.h>

#define BLOCK 128

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= R) {
        return;
    }
    for (int i = 0; i < N; i++) {
        float sum = B[i * R + column];
        for (int k = 0; k < i; k++) {
            sum -= A[i * N + k] * X[k * R + column];
        }
        X[i * R + column] = __half2float(__float2half(sum / (A[i * N + i] + shift)));
    }
}
