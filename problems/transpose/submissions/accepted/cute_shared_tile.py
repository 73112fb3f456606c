# expect: accepted
#
# Transpose by tiles in shared memory: rows are read and rows are written.
#
# The tile is a tensor of 32 by 32 whose rows are 33 elements apart, so that a column lies in 32 banks. Its layout is
# all that knows of it.

import cutlass.cute as cute
from cutlass.utils import SmemAllocator

TILE = 32
ROWS = 8


@cute.kernel
def transpose(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    x, y, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    layout = cute.make_layout((TILE, TILE), stride=(TILE + 1, 1))
    tile = SmemAllocator().allocate_tensor(input.element_type, layout)

    column = across * TILE + x
    for step in range(0, TILE, ROWS):
        row = down * TILE + y + step
        if row < M and column < N:
            tile[y + step, x] = input[row, column]
    cute.arch.sync_threads()

    column = down * TILE + x
    for step in range(0, TILE, ROWS):
        row = across * TILE + y + step
        if row < N and column < M:
            output[row, column] = tile[x, y + step]


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    grid = (cute.ceil_div(N, TILE), cute.ceil_div(M, TILE), 1)
    transpose(input, output, M, N).launch(grid=grid, block=(TILE, ROWS, 1))
