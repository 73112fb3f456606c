// expect: wrong_answer low_precision
//
// Tiled transpose with a tile of halves.
//
// The student halved the shared memory. A half keeps 11 of a float's 24 significant bits, and its exponents end far
// earlier.

#include <cuda_fp16.h>

#define TILE 16
#define ROWS 16

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ __half tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        tile[threadIdx.y][threadIdx.x] = __float2half(input[row * N + column]);
    }
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_row < N && out_column < M) {
        output[out_row * M + out_column] = __half2float(tile[threadIdx.x][threadIdx.y]);
    }
}
