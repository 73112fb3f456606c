# expect: rejected
#
# The kernel computes the sums of blocks, and the host adds them up, element by element.

import torch
import triton
import triton.language as tl


@triton.jit
def add_block(input, parts, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    elements = tl.load(input + places, mask=places < N, other=0.0)
    tl.store(parts + tl.program_id(0), tl.sum(elements, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 16
    parts = torch.empty(triton.cdiv(N, BLOCK), device="cuda")
    add_block[(len(parts),)](input, parts, N, BLOCK=BLOCK, num_warps=1)
    output.fill_(sum(parts.tolist()))
