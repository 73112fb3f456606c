// expect: runtime_error uninitialized_read
//
// Tiled transpose that turns each tile and leaves the tiles where they are.
//
// Inside of a tile rows and columns change places; so do the tiles. The student kept the block's coordinates for the
// output. With one tile there is no difference.

#define TILE 16
#define ROWS 16

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        tile[threadIdx.y][threadIdx.x] = input[row * N + column];
    }
    __syncthreads();

    if (row < N && column < M) {
        output[row * M + column] = tile[threadIdx.x][threadIdx.y];  // <- here
    }
}
