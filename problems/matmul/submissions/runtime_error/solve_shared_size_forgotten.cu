// expect: runtime_error out_of_bounds
//
// Matrix multiplication with dynamic shared memory of 0 bytes.
//
// An extern __shared__ array is as large as the launch says, and the launch says nothing. The third number between <<<
// and >>> is missing.

#include <cuda_runtime.h>

#define TILE 16

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ float tiles[];
    float* tile_A = tiles;
    float* tile_B = tiles + TILE * TILE;

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        tile_A[y * TILE + x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;  // <- here
        tile_B[y * TILE + x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y * TILE + k] * tile_B[k * TILE + x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    multiply<<<grid, block>>>(A, B, C, M, N, K);
}
