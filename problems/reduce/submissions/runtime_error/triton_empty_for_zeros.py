# expect: runtime_error uninitialized_read
#
# The programs add up in a scratch tensor that torch.empty() made: nobody set it to 0.
#
# It often works, because new memory is often full of zeros.

import torch
import triton
import triton.language as tl


@triton.jit
def add_block(input, total, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    elements = tl.load(input + places, mask=places < N, other=0.0)
    tl.atomic_add(total, tl.sum(elements, axis=0))  # <- here


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    total = torch.empty(1, device="cuda")
    add_block[(triton.cdiv(N, BLOCK),)](input, total, N, BLOCK=BLOCK)
    output.copy_(total)
