# expect: wrong_answer unwritten_output
#
# Transpose in numba whose grid has rows and columns the wrong way round.
#
# The student gave the grid in the order of the matrix's shape. x counts columns in the kernel, but blocks of rows in
# the grid: a wide matrix loses its right part. Right only for square matrices.

from numba import cuda

TILE = 16


@cuda.jit
def transpose(input, output, M, N):
    column, row = cuda.grid(2)
    if row < M and column < N:
        output[column, row] = input[row, column]


def solve(input, output, M, N):
    transpose[((M + TILE - 1) // TILE, (N + TILE - 1) // TILE), (TILE, TILE)](input, output, M, N)
