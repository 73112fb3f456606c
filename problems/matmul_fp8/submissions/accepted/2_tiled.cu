// expect: accepted
//
// fp8 matrix multiplication, step 2: tiles in shared memory.
//
// Added to step 1: the block copies a tile of each matrix, along its rows, and uses every number TILE times. The tiles
// hold floats, so that each number is converted once a block. A row of B's tile is one float longer than needed: the
// lanes, each in a row of its own, then read from different banks. Expect five to ten times the speed of step 1.

#define TILE 16

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE + 1];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    int row_of_b = blockIdx.x * TILE + y;
    float sum = 0.0f;
    for (int first = 0; first < N; first += TILE) {
        a[y][x] = row < M && first + x < N ? float(A[row * N + first + x]) : 0.0f;
        b[y][x] = row_of_b < K && first + x < N ? float(B[row_of_b * N + first + x]) : 0.0f;
        __syncthreads();
        for (int n = 0; n < TILE; n++) {
            sum += a[y][n] * b[x][n];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[row * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * sum);
    }
}
