# expect: runtime_error data_race
#
# Tiled matrix multiplication in numba with one barrier of two.
#
# The student waits until the tiles are stored, but not until everyone has used them: a fast warp stores the next tile
# while a slow one still reads this one.

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
    if row < M and column < K:
        C[row, column] = total


def solve(A, B, C, M, N, K):
    multiply[((K + TILE - 1) // TILE, (M + TILE - 1) // TILE), (TILE, TILE)](A, B, C, M, N, K)
