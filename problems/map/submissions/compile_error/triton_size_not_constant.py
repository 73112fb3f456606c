# expect: compile_error
#
# The size of a block as an argument like any other: without tl.constexpr the compiler does not know it.

import torch
import triton
import triton.language as tl


@triton.jit
def map_blocks(input, output, N, BLOCK):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # <- here
    inside = places < N
    tl.store(output + places, 1.0 / (1.0 + tl.exp(-tl.load(input + places, mask=inside))), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    map_blocks[(triton.cdiv(N, 1024),)](input, output, N, 1024)
