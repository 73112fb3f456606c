// expect: wrong_answer wrong_value
//
// Half-precision matrix multiplication that leaves out the last tile.
//
// The loop goes over whole tiles of N.

#define TILE 16

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;
    for (int first = 0; first + TILE <= N; first += TILE) {
        a[y][x] = row < M && first + x < N ? __half2float(A[row * N + first + x]) : 0.0f;
        b[y][x] = first + y < N && column < K ? __half2float(B[(first + y) * K + column]) : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a[y][k] * b[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[row * K + column] = __float2half(sum);
    }
}
