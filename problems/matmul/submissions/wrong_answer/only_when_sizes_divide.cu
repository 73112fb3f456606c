// expect: wrong_answer wrong_value
//
// Tiled matrix multiplication that forgets the last, partial step along N.
//
// The student tried 64, 128 and 256 only. N / TILE rounds down, so that the last N % TILE terms of every sum are
// missing; the number of steps has to be rounded up: (N + TILE - 1) / TILE.

#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int step = 0; step < N / TILE; ++step) {
        int start = step * TILE;
        tile_A[y][x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;
        tile_B[y][x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
