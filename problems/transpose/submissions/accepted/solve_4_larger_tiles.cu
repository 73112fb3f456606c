// expect: accepted
//
// Transpose, step 4: tiles of 64 x 64, sixteen elements a thread.
//
// Added to step 3: a thread sends off sixteen loads before it waits for the first; bytes under way are what fills a
// memory. And the pieces of rows that a tile reads and writes are 256 bytes long. Where the length of a row is no
// multiple of eight, a piece begins and ends within a sector of 32 bytes, which another block completes: of nine sectors
// two are shared in this way, where pieces of 128 bytes share two of five. Expect a third less time on 4095 x 10007.

#include <cuda_runtime.h>

#define TILE 64
#define LANES 32
#define WARPS 8

__global__ void __launch_bounds__(LANES * WARPS)
    transpose_tiles(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    // One column more lets a warp read 32 rows from 32 different banks.
    __shared__ float tile[TILE][TILE + 1];
    const int first_row = blockIdx.y * TILE;
    const int first_column = blockIdx.x * TILE;
    const int lane = threadIdx.x;

    float own[TILE / WARPS][TILE / LANES];
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
#pragma unroll
        for (int j = 0; j < TILE / LANES; j++) {
            const int row = first_row + threadIdx.y + i * WARPS;
            const int column = first_column + lane + j * LANES;
            own[i][j] = row < M && column < N ? __ldcs(input + (size_t)row * N + column) : 0.0f;
        }
    }
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
#pragma unroll
        for (int j = 0; j < TILE / LANES; j++) {
            tile[threadIdx.y + i * WARPS][lane + j * LANES] = own[i][j];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
#pragma unroll
        for (int j = 0; j < TILE / LANES; j++) {
            const int row = first_column + threadIdx.y + i * WARPS;
            const int column = first_row + lane + j * LANES;
            if (row < N && column < M) {
                output[(size_t)row * M + column] = tile[lane + j * LANES][threadIdx.y + i * WARPS];
            }
        }
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    transpose_tiles<<<grid, dim3(LANES, WARPS)>>>(input, output, M, N);
}
