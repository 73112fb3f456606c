# expect: accepted
#
# Half-precision matrix multiplication in numba: tiles of halves in shared memory, sums in single precision.
#
# A half has 11 significant bits: a long sum in halves would lose most of its terms, so each factor is converted before
# it is multiplied.

from numba import cuda, float32
from numba.cuda.types import float16

TILE = 16


@cuda.jit
def multiply(A, B, C, M, N, K):
    a = cuda.shared.array((TILE, TILE), float16)
    b = cuda.shared.array((TILE, TILE), float16)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y

    total = float32(0)
    for start in range(0, N, TILE):
        a[y, x] = A[row, start + x] if row < M and start + x < N else float16(0)
        b[y, x] = B[start + y, column] if start + y < N and column < K else float16(0)
        cuda.syncthreads()
        for k in range(TILE):
            total += float32(a[y, k]) * float32(b[k, x])
        cuda.syncthreads()
    if row < M and column < K:
        C[row, column] = total


def solve(A, B, C, M, N, K):
    multiply[((K + TILE - 1) // TILE, (M + TILE - 1) // TILE), (TILE, TILE)](A, B, C, M, N, K)
