// expect: wrong_answer low_precision
//
// Tiled matrix multiplication that keeps its tiles in half precision.
//
// The student halved the shared memory that a tile needs, and still adds up in fp32. But a half has 11 significant
// bits: each product is off by up to 2^-11 of its size, thousands of times more than fp32 rounding.

#include <cuda_fp16.h>

#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ __half tile_A[TILE][TILE];
    __shared__ __half tile_B[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = __float2half(row < M && start + x < N ? A[row * N + start + x] : 0.0f);
        tile_B[y][x] = __float2half(start + y < N && column < K ? B[(start + y) * K + column] : 0.0f);
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            sum += __half2float(tile_A[y][k]) * __half2float(tile_B[k][x]);
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
