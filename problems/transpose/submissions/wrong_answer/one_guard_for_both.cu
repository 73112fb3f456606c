// expect: wrong_answer unwritten_output
//
// Tiled transpose that keeps the guard of its load for its store.
//
// After the barrier a thread writes another element than it has read. At the right and the lower edge there are threads
// that have nothing to read and something to write.

#define TILE 16
#define ROWS 16

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    bool inside = row < M && column < N;
    if (inside) {
        tile[threadIdx.y][threadIdx.x] = input[row * N + column];
    }
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (inside && out_row < N && out_column < M) {
        output[out_row * M + out_column] = tile[threadIdx.x][threadIdx.y];
    }
}
