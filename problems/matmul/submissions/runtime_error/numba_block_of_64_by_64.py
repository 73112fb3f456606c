# expect: runtime_error launch_failure
#
# Matrix multiplication in numba with blocks of 64 by 64 threads.
#
# The student made the tile larger to have more work in a block. A block has at most 1024 threads, and CUDA refuses
# the launch.

from numba import cuda, float32

TILE = 64


@cuda.jit
def multiply(A, B, C, M, N, K):
    column, row = cuda.grid(2)
    if row < M and column < K:
        total = float32(0)
        for k in range(N):
            total += A[row, k] * B[k, column]
        C[row, column] = total


def solve(A, B, C, M, N, K):
    multiply[((K + TILE - 1) // TILE, (M + TILE - 1) // TILE), (TILE, TILE)](A, B, C, M, N, K)
