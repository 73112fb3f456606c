# expect: compile_error
#
# A block of 1000 elements: the sizes of blocks are powers of 2.

import torch
import triton
import triton.language as tl


@triton.jit
def add_blocks(a, b, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # <- here
    inside = places < N
    tl.store(output + places, tl.load(a + places, mask=inside) + tl.load(b + places, mask=inside), mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1000
    add_blocks[(triton.cdiv(N, BLOCK),)](a, b, output, N, BLOCK=BLOCK)
