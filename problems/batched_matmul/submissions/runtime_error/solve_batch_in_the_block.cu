// expect: runtime_error launch_failure
//
// Batched matrix multiplication with the batch in the block's z direction.
//
// A block has at most 64 threads along z, and 1024 in all: 16 x 16 x 4 is as far as it goes.

#include <cuda_runtime.h>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = threadIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];
        }
        C[(b * M + row) * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    dim3 block(16, 16, BATCH);
    dim3 grid((K + 15) / 16, (M + 15) / 16);
    multiply<<<grid, block>>>(A, B, C, M, N, K);  // <- here
}
