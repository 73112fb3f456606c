// expect: accepted
//
// Matrix multiplication, step 2: tiles in shared memory.
//
// Added to step 1: the block walks along N in steps of TILE. At each step its threads copy one TILE x TILE tile of
// A and one of B to shared memory, one element each, and all of them then compute from there. An element that was
// fetched from global memory is used TILE times, so global traffic falls to 1 / TILE of step 1: 16 times less.
//
// Two barriers a step: the first keeps a thread from reading a tile that is not complete yet, the second keeps a
// fast thread from overwriting a tile that slower threads still read. No thread may leave early, since all must
// reach them.

#define TILE 16

extern "C" __global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        // Outside of the matrices a tile holds zeros: they add nothing to the sum.
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
