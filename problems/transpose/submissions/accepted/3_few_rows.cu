// expect: accepted
//
// Transpose, step 3: four elements a thread.
//
// Added to step 2: a block of 32 x 8 threads moves the tile of 32 x 32. The loop unrolls, so that a thread sends off
// four loads before it waits for the first; the work on indices is shared by four elements; and with 256 threads a
// block, the barrier holds up fewer warps while other blocks of the multiprocessor go on.

#define TILE 32
#define ROWS (TILE / 4)

__global__ void __launch_bounds__(TILE * ROWS)
    transpose_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];

    const int column = blockIdx.x * TILE + threadIdx.x;
    const int row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int y = 0; y < TILE; y += ROWS) {
        if (row + y < M && column < N) {
            tile[threadIdx.y + y][threadIdx.x] = input[(row + y) * N + column];
        }
    }
    __syncthreads();

    const int out_column = blockIdx.y * TILE + threadIdx.x;
    const int out_row = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int y = 0; y < TILE; y += ROWS) {
        if (out_row + y < N && out_column < M) {
            output[(out_row + y) * M + out_column] = tile[threadIdx.x][threadIdx.y + y];
        }
    }
}
