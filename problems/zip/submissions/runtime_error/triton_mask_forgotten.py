# expect: runtime_error out_of_bounds
#
# The sum of two vectors without a mask: the last block reads and writes beyond the end.
#
# The student tried 4096 elements, which blocks of 1024 divide.

import torch
import triton
import triton.language as tl


@triton.jit
def add_blocks(a, b, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.load(a + places)  # <- here
    second = tl.load(b + places)
    tl.store(output + places, first + second)


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    add_blocks[(triton.cdiv(N, BLOCK),)](a, b, output, N, BLOCK=BLOCK)
