# expect: accepted
#
# Transpose of a tile at a time: read along the rows of the input, written along the rows of the output.
#
# Between the two, tl.trans() has the compiler exchange the elements in shared memory.

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_tile(input, output, M, N, TILE: tl.constexpr):
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tile = tl.load(input + rows[:, None] * N + columns[None, :], mask=inside)
    turned = (columns[:, None] < N) & (rows[None, :] < M)
    tl.store(output + columns[:, None] * M + rows[None, :], tl.trans(tile), mask=turned)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    TILE = 64
    transpose_tile[(triton.cdiv(N, TILE), triton.cdiv(M, TILE))](input, output, M, N, TILE=TILE)
