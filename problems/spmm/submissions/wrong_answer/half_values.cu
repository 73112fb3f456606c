// expect: wrong_answer low_precision
//
// Sparse matrix times dense matrix with the entries as halves.
//
// Eleven bits of 24 are left.

#include <cuda_fp16.h>

#define ROWS 8

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int k = blockIdx.y * 32 + threadIdx.x;
    if (i < M && k < K) {
        float sum = 0.0f;
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            sum += __half2float(__float2half(values[e])) * B[(size_t)columns[e] * K + k];
        }
        C[(size_t)i * K + k] = sum;
    }
}
