// expect: runtime_error uninitialized_read
//
// Tiled matrix multiplication that does not fill the edge of its tiles with zeros.
//
// The student guarded the loads, so that none reads past the matrices, but where there is nothing to load the tile
// keeps what it held before: the previous step's numbers, or garbage. All of the tile is multiplied all the same.

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
        if (row < M && start + x < N) {
            tile_A[y][x] = A[row * N + start + x];
        }
        if (start + y < N && column < K) {
            tile_B[y][x] = B[(start + y) * K + column];
        }
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];  // <- here
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
