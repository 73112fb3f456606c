# expect: runtime_error out_of_bounds
#
# The sum of two vectors with a mask for what is read, and none for what is written.

import torch
import triton
import triton.language as tl


@triton.jit
def add_blocks(a, b, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.load(a + places, mask=places < N)
    second = tl.load(b + places, mask=places < N)
    tl.store(output + places, first + second)  # <- here


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    add_blocks[(triton.cdiv(N, BLOCK),)](a, b, output, N, BLOCK=BLOCK)
