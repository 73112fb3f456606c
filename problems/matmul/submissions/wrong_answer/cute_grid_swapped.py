# expect: wrong_answer unwritten_output
#
# Matrix multiplication whose grid has rows in x and columns in y.
#
# The kernel takes x for columns. With a square C nobody notices.

import cutlass
import cutlass.cute as cute

BLOCK = 16


@cute.kernel
def multiply(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    x, y, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    row = down * BLOCK + y
    column = across * BLOCK + x
    if row < M and column < K:
        sum = cutlass.Float32(0.0)
        for k in range(N):
            sum += A[row, k] * B[k, column]
        C[row, column] = sum


@cute.jit
def solve(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    grid = (cute.ceil_div(M, BLOCK), cute.ceil_div(K, BLOCK), 1)
    multiply(A, B, C, M, N, K).launch(grid=grid, block=(BLOCK, BLOCK, 1))
