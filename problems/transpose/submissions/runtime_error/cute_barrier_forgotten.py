# expect: runtime_error data_race
#
# Transpose by tiles in shared memory without the barrier between storing a tile and reading it.
#
# A thread reads what a thread of another warp stores, which may be still to come.

import cutlass.cute as cute
from cutlass.utils import SmemAllocator

TILE = 16


@cute.kernel
def transpose(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    x, y, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    layout = cute.make_layout((TILE, TILE), stride=(TILE + 1, 1))
    tile = SmemAllocator().allocate_tensor(input.element_type, layout)

    if down * TILE + y < M and across * TILE + x < N:
        tile[y, x] = input[down * TILE + y, across * TILE + x]
    if across * TILE + y < N and down * TILE + x < M:
        output[across * TILE + y, down * TILE + x] = tile[x, y]  # <- here


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    grid = (cute.ceil_div(N, TILE), cute.ceil_div(M, TILE), 1)
    transpose(input, output, M, N).launch(grid=grid, block=(TILE, TILE, 1))
