// expect: runtime_error data_race
//
// Tiled batched matrix multiplication without the barrier at the end of a step.
//
// A warp that is ahead stores the next tile while slower ones still compute from this one. Sums of one step don't
// show it.

#define TILE 16

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE];

    A += blockIdx.z * M * N;
    B += blockIdx.z * N * K;
    C += blockIdx.z * M * K;

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
