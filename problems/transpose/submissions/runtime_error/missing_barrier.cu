// expect: runtime_error data_race
//
// Tiled transpose without a barrier.
//
// Each thread reads an element of the tile that another thread has stored, and most often another warp. Without
// __syncthreads() it may read before the other one has stored.

#define TILE 32
#define ROWS 32

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        tile[threadIdx.y][threadIdx.x] = input[row * N + column];
    }

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_row < N && out_column < M) {
        output[out_row * M + out_column] = tile[threadIdx.x][threadIdx.y];  // <- here
    }
}
