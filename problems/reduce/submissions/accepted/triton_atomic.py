# expect: accepted
#
# The sum of a vector: each program adds the sum of its block to the output, which has to be 0 before.

import torch
import triton
import triton.language as tl


@triton.jit
def add_block(input, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    elements = tl.load(input + places, mask=places < N, other=0.0)
    tl.atomic_add(output, tl.sum(elements, axis=0), sem="relaxed")


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 4096
    output.zero_()
    add_block[(triton.cdiv(N, BLOCK),)](input, output, N, BLOCK=BLOCK, num_warps=8)
