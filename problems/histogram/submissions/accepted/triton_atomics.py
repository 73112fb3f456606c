# expect: accepted
#
# An atomic addition for each element: short, and slow where many elements are equal.

import torch
import triton
import triton.language as tl


@triton.jit
def count(input, histogram, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    numbers = tl.load(input + places, mask=inside, other=0)
    tl.atomic_add(histogram + numbers, 1, mask=inside, sem="relaxed")


def solve(input: torch.Tensor, histogram: torch.Tensor, N: int, BINS: int):
    BLOCK = 1024
    histogram.zero_()
    count[(triton.cdiv(N, BLOCK),)](input, histogram, N, BLOCK=BLOCK)
