# expect: runtime_error
#
# The transposed tile is written with the mask of the tile that was read, which is right only in whole tiles.
#
# Elsewhere programs write beyond the end, or where others write.

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_tile(input, output, M, N, TILE: tl.constexpr):
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tile = tl.load(input + rows[:, None] * N + columns[None, :], mask=inside)
    tl.store(output + columns[:, None] * M + rows[None, :], tl.trans(tile), mask=inside)  # <- here


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    TILE = 32
    transpose_tile[(triton.cdiv(N, TILE), triton.cdiv(M, TILE))](input, output, M, N, TILE=TILE)
