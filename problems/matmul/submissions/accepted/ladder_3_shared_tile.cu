// expect: accepted
//
// Matrix multiplication, the ladder's step 3: tiles in shared memory.
//
// Added to step 2: a block of 32 x 32 threads brings 32 x 16 elements of A and 16 x 32 of B to shared memory and uses
// each of them 32 times, so that global memory is read a 32nd as often. The tile of A is stored transposed, k by row, as
// later steps want it. Its rows are 32 floats long, which puts the 16 k that half a warp stores for one row of A into
// one and the same bank: a store takes 16 turns. Expected: a little quicker than step 2, whose reads the L1 cache
// serves already.

#include <cuda_runtime.h>

constexpr int SIDE = 32;                                // of a block's tile of C
constexpr int DEPTH = 16;                               // k of a slab
constexpr int PITCH = SIDE;                             // of a row of the transposed tile of A

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[DEPTH][PITCH];
    __shared__ float tile_B[DEPTH][SIDE];

    const int rank = threadIdx.y * SIDE + threadIdx.x;
    const int first_row = blockIdx.y * SIDE;
    const int first_column = blockIdx.x * SIDE;
    float sum = 0.0f;
    for (int start = 0; start < N; start += DEPTH) {
        // Half of the threads load A, the other half B.
        if (rank < SIDE * DEPTH) {
            const int row = rank / DEPTH;
            const int k = rank % DEPTH;
            const bool there = first_row + row < M && start + k < N;
            tile_A[k][row] = there ? A[static_cast<long long>(first_row + row) * N + start + k] : 0.0f;
        } else {
            const int k = rank / SIDE - DEPTH;
            const int column = rank % SIDE;
            const bool there = start + k < N && first_column + column < K;
            tile_B[k][column] = there ? B[static_cast<long long>(start + k) * K + first_column + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            sum += tile_A[k][threadIdx.y] * tile_B[k][threadIdx.x];
        }
        __syncthreads();
    }
    const int row = first_row + threadIdx.y;
    const int column = first_column + threadIdx.x;
    if (row < M && column < K) {
        C[static_cast<long long>(row) * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
    multiply<<<grid, dim3(SIDE, SIDE)>>>(A, B, C, M, N, K);
}
