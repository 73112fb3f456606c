// expect: accepted
//
// Matrix multiplication, the ladder's step 2: coalesced reads.
//
// Added to step 1: threadIdx.x counts columns. The lanes of a warp read 16 neighbours of a row of B, two sectors of 32
// bytes that are used whole, and two elements of A, each of which is sent to half of them. Expected: five times step 1.

#include <cuda_runtime.h>

constexpr int SIDE = 16;                                // of a block's tile of C

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * SIDE + threadIdx.y;
    const int column = blockIdx.x * SIDE + threadIdx.x;
    if (row >= M || column >= K) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < N; ++k) {
        sum += A[static_cast<long long>(row) * N + k] * B[static_cast<long long>(k) * K + column];
    }
    C[static_cast<long long>(row) * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
    multiply<<<grid, dim3(SIDE, SIDE)>>>(A, B, C, M, N, K);
}
