# expect: wrong_answer wrong_value
#
# Prefix sums of blocks, none of which knows what came before it.

import torch
import triton
import triton.language as tl


@triton.jit
def scan_rows(input, output, N, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        elements = tl.load(input + first + columns, mask=columns < N, other=0.0)
        tl.store(output + first + columns, tl.cumsum(elements, axis=0), mask=columns < N)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    scan_rows[(M,)](input, output, N, BLOCK=256)
