# expect: accepted
#
# Matrix multiplication in numba: tiles of A and B in shared memory.
#
# Added to numba_plain: each element that a block reads is read once, and used by a whole row or column of threads.
# Outside of the matrices tiles hold zeros, which add nothing.

from numba import cuda, float32

TILE = 16


@cuda.jit
def multiply(A, B, C, M, N, K):
    a = cuda.shared.array((TILE, TILE), float32)
    b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y

    total = float32(0)
    for start in range(0, N, TILE):
        a[y, x] = A[row, start + x] if row < M and start + x < N else float32(0)
        b[y, x] = B[start + y, column] if start + y < N and column < K else float32(0)
        cuda.syncthreads()
        for k in range(TILE):
            total += a[y, k] * b[k, x]
        # The next tiles must not be stored while these are still read.
        cuda.syncthreads()
    if row < M and column < K:
        C[row, column] = total


def solve(A, B, C, M, N, K):
    multiply[((K + TILE - 1) // TILE, (M + TILE - 1) // TILE), (TILE, TILE)](A, B, C, M, N, K)
