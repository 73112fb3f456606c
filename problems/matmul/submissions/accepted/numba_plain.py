# expect: accepted
#
# Matrix multiplication in numba: one thread for each element of C.
#
# x counts columns, so that the threads of a warp read neighbouring elements of B.

from numba import cuda, float32

TILE = 16


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
