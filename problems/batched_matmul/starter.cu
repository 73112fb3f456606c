// Batched matrix multiplication: C[b] (M x K) = A[b] (M x N) * B[b] (N x K) for each b below BATCH, row-major, fp32.
//
// The kernel gets one thread for each element of C, in square blocks of TILE x TILE threads. You may change the
// number: any constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    // The x direction runs along a row of C, so that neighbouring threads touch neighbouring floats.
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // The z direction of the grid is the batch: each matrix has its own blocks.
    int b = blockIdx.z;

    // The grid is rounded up to whole blocks: some threads lie outside of C[b] and must not touch memory.
    if (row < M && column < K) {
        // Your turn: add up A[(b * M + row) * N + k] * B[(b * N + k) * K + column] for k = 0 ... N - 1,
        // and store the sum in C[(b * M + row) * K + column].
    }
}

// Host code: the grader calls it. A, B and C lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE, BATCH);
    batched_matmul_kernel<<<grid, block>>>(A, B, C, BATCH, M, N, K);
}
