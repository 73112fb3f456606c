# expect: accepted
#
# The logistic function, a block of elements at a time.
#
# Of large negative elements, exp(-x) is infinite and the quotient 0, as it should be.

import torch
import triton
import triton.language as tl


@triton.jit
def logistic(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def map_blocks(input, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    tl.store(output + places, logistic(tl.load(input + places, mask=inside)), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    map_blocks[(triton.cdiv(N, BLOCK),)](input, output, N, BLOCK=BLOCK)
