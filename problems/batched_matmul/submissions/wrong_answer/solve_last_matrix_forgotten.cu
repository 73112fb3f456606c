// expect: wrong_answer unwritten_output
//
// Batched matrix multiplication that takes two matrices a launch, and forgets the odd one.
//
// BATCH / 2 rounds down. The last matrix of an odd batch is never computed.

#include <cuda_runtime.h>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];
        }
        C[(b * M + row) * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    dim3 block(16, 16);
    dim3 grid((K + 15) / 16, (M + 15) / 16, 2);
    for (int pair = 0; pair < BATCH / 2; ++pair) {
        int b = 2 * pair;
        multiply<<<grid, block>>>(A + b * M * N, B + b * N * K, C + b * M * K, M, N, K);
    }
}
