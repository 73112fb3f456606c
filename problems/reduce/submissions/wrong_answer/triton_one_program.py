# expect: wrong_answer wrong_value
#
# One program and one block, which is right for vectors that it covers, and adds up only the beginning of others.

import torch
import triton
import triton.language as tl


@triton.jit
def add_block(input, output, N, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    tl.store(output, tl.sum(tl.load(input + places, mask=places < N, other=0.0), axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    add_block[(1,)](input, output, N, BLOCK=1024)
