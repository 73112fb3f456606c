// Matrix multiplication: C (M x K) = A (M x N) * B (N x K), row-major, fp32.
//
// The kernel gets one thread for each element of C, in square blocks of TILE x TILE threads. You may change the
// number: any constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    // The x direction runs along a row of C, so that neighbouring threads touch neighbouring floats.
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside of C and must not touch memory.
    if (row < M && column < K) {
        // Your turn: add up A[row * N + k] * B[k * K + column] for k = 0 ... N - 1,
        // and store the sum in C[row * K + column].
    }
}

// Host code: the grader calls it. A, B and C lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matrix_multiplication_kernel<<<grid, block>>>(A, B, C, M, N, K);
}
