// expect: runtime_error out_of_bounds
//
// Tiled matrix multiplication that guards the store but not the loads of the tiles.
//
// The student thought: "what lies outside only goes into sums that are never stored". That is not so along N, and
// the loads themselves already read past the end of A and B.

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
        tile_A[y][x] = A[row * N + start + x];
        tile_B[y][x] = B[(start + y) * K + column];
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
