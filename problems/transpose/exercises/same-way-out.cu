#define TILE 32
#define ROWS 32

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ float tile[TILE][TILE];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        tile[threadIdx.y][threadIdx.x] = input[row * N + column];
    }
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_row < N && out_column < M) {
        output[out_row * M + out_column] = tile[threadIdx.y][threadIdx.x];
    }
}
