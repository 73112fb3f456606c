// expect: runtime_error uninitialized_read
//
// Tiled matrix multiplication whose tiles are wider than the block that fills them.
//
// The student read that larger tiles are faster and made them 32 wide, but the block still has 16 x 16 threads,
// each of which loads one element: three quarters of each tile are never filled. The grader takes the size of the
// block from a #define of the name TILE, and this file calls it TILE_WIDTH.

#define TILE_WIDTH 32

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float tile_B[TILE_WIDTH][TILE_WIDTH];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * blockDim.x + x;
    int row = blockIdx.y * blockDim.y + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE_WIDTH) {
        tile_A[y][x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;
        tile_B[y][x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];  // <- here
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
