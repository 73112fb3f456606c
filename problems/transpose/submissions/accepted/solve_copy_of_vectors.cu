// expect: accepted
//
// Transpose with host code that knows when there is nothing to transpose.
//
// A matrix of one row or one column has the same floats in the same order as its transpose: one copy on the device
// does it. All others go through a padded tile, whose rows are swizzled here instead of padded: element (y, x) lies
// in column x ^ y of the tile, so that the elements of a row and those of a column both hit 32 different banks, and
// no byte of shared memory is spent on it.

#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose_tiles(const float* input, float* output, int M, int N) {
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;

    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        if (first_row + y < M && first_column + x < N) {
            tile[y][x ^ y] = input[(first_row + y) * N + first_column + x];
        }
    }
    __syncthreads();

    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        if (first_column + y < N && first_row + x < M) {
            output[(first_column + y) * M + first_row + x] = tile[x][y ^ x];
        }
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    if (M == 1 || N == 1) {
        cudaMemcpy(output, input, sizeof(float) * M * N, cudaMemcpyDeviceToDevice);
        return;
    }
    dim3 block(TILE, ROWS);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    transpose_tiles<<<grid, block>>>(input, output, M, N);
}
