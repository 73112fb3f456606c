# expect: wrong_answer wrong_value
#
# Softmax of four rows at a time, whose exponentials are added up along the columns: axis 1 goes along a row.

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_of_rows(input, output, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    places = rows[:, None].to(tl.int64) * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    elements = tl.load(input + places, mask=inside, other=-float("inf"))
    exponentials = tl.exp(elements - tl.max(elements, axis=1, keep_dims=True))
    result = exponentials / tl.sum(exponentials, axis=0, keep_dims=True)
    tl.store(output + places, result, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    ROWS = 4
    BLOCK = triton.next_power_of_2(N)
    softmax_of_rows[(triton.cdiv(M, ROWS),)](input, output, M, N, ROWS=ROWS, BLOCK=BLOCK, num_warps=8)
