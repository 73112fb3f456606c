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
        if (out_row + y < M && out_column < N) {
            output[(out_row + y) * M + out_column] = tile[threadIdx.x][threadIdx.y + y];
        }
    }
}
