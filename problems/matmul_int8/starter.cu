// Quantised matrix multiplication: C = round(A * B * scale), bytes with sums in 32 bits; C is kept within -128 and 127.
//
// The kernel gets one thread for each element of C, in square blocks of TILE x TILE threads. You may change the number:
// any constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

__global__ void matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* C,
                                   int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside of C and must not touch memory.
    if (row < M && column < K) {
        int sum = 0;
        // Your turn: add up A[row * N + k] * B[k * K + column] for k = 0 ... N - 1.

        // Your turn: multiply by the scale of this column, round, and keep the result within -128 and 127.
        C[row * K + column] = sum;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const signed char* A, const signed char* B, const float* scale, signed char* C, int M, int N,
                      int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_int8_kernel<<<grid, block>>>(A, B, scale, C, M, N, K);
}
