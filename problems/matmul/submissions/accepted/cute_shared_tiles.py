# expect: accepted
#
# Matrix multiplication by tiles in shared memory, a thread for each element of C.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

TILE = 16


@cute.kernel
def multiply(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    x, y, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    layout = cute.make_layout((TILE, TILE), stride=(TILE, 1))
    a = memory.allocate_tensor(cutlass.Float32, layout)
    b = memory.allocate_tensor(cutlass.Float32, layout)

    row = down * TILE + y
    column = across * TILE + x
    sum = cutlass.Float32(0.0)
    for first in range(0, N, TILE):
        # Elements beyond the end of a matrix are zeros, which change no sum.
        a[y, x] = cutlass.Float32(0.0)
        if row < M and first + x < N:
            a[y, x] = A[row, first + x]
        b[y, x] = cutlass.Float32(0.0)
        if first + y < N and column < K:
            b[y, x] = B[first + y, column]
        cute.arch.sync_threads()
        for k in cutlass.range_constexpr(TILE):
            sum += a[y, k] * b[k, x]
        cute.arch.sync_threads()
    if row < M and column < K:
        C[row, column] = sum


@cute.jit
def solve(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    grid = (cute.ceil_div(K, TILE), cute.ceil_div(M, TILE), 1)
    multiply(A, B, C, M, N, K).launch(grid=grid, block=(TILE, TILE, 1))
