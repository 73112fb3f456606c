// expect: accepted
//
// Transpose, step 2: through a tile in shared memory.
//
// Added to step 1: the block copies its piece of the input to shared memory row by row, and writes it to the output row
// by row as well. Both sides now touch whole lines; the turn by 90 degrees happens inside of the chip. The tile's place
// in the output has the block's coordinates swapped, which is why the indices are worked out twice.
//
// Each row of the tile is one float longer than needed. Shared memory has 32 banks, and the float at address a lies in
// bank a % 32. In rows of 32 floats a column lies in one bank, and a warp reads it in 32 turns; in rows of 33 it is spread
// over all of them, and one turn is enough. The price is 128 bytes a block.

#define TILE 32
#define ROWS 32

__global__ void transpose_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        tile[threadIdx.y][threadIdx.x] = input[row * N + column];
    }
    // Outside of the if: all threads of the block have to arrive here.
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_row < N && out_column < M) {
        output[out_row * M + out_column] = tile[threadIdx.x][threadIdx.y];
    }
}
