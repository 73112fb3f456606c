// expect: runtime_error data_race
//
// Tiled matrix multiplication without the barrier between using the tiles and filling them anew.
//
// The student thought: "one barrier a step must do, and the tiles are complete when I read them". But a warp that
// is done early goes on to the next step and overwrites its part of the tiles while other warps still read them.
// Sizes with N <= TILE take one step only, and hide the fault.

#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;  // <- here
        tile_B[y][x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        // A __syncthreads() is missing here.
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
