# expect: accepted
#
# A copy that takes the strides of its input: the transpose is the copy of input.T, which is a view.

import torch
import triton
import triton.language as tl


@triton.jit
def copy_tile(source, row_stride, column_stride, target, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    inside = (row < rows) & (column < columns)
    tile = tl.load(source + row * row_stride + column * column_stride, mask=inside)
    tl.store(target + row * columns + column, tile, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    TILE = 32
    turned = input.T
    grid = (triton.cdiv(turned.shape[0], TILE), triton.cdiv(turned.shape[1], TILE))
    copy_tile[grid](turned, turned.stride(0), turned.stride(1), output, *turned.shape, TILE=TILE)
