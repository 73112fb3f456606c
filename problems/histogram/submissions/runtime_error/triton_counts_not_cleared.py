# expect: runtime_error uninitialized_read
#
# Each program adds its counts to the output, which nobody set to 0: solve() has to do so.

import torch
import triton
import triton.language as tl


@triton.jit
def count(input, histogram, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    tl.atomic_add(histogram + tl.load(input + places, mask=inside, other=0), 1, mask=inside)  # <- here


def solve(input: torch.Tensor, histogram: torch.Tensor, N: int, BINS: int):
    BLOCK = 1024
    count[(triton.cdiv(N, BLOCK),)](input, histogram, N, BLOCK=BLOCK)
