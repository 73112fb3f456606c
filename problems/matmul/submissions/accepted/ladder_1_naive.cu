// expect: accepted
//
// Matrix multiplication, the ladder's step 1: one thread for each element of C, which reads its row of A and its
// column of B from global memory.
//
// threadIdx.x counts rows here, so the lanes of a warp read from 16 rows of A: each of them fetches 32 bytes for the
// four that it uses, and its results go to 16 rows of C. Step 2 changes nothing else.
// Expected: a fiftieth of what cuBLAS reaches; from here the other steps count their gains.

#include <cuda_runtime.h>

constexpr int SIDE = 16;                                // of a block's tile of C

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * SIDE + threadIdx.x;
    const int column = blockIdx.x * SIDE + threadIdx.y;
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
