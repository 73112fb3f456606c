# expect: accepted
#
# Each program counts its elements with tl.histogram(), and adds its counts to the output at the end.
#
# The bins are rounded up to a power of 2, as blocks have to be; the mask leaves out what is beyond them.

import torch
import triton
import triton.language as tl

PROGRAMS = 256


@triton.jit
def count(input, histogram, N, bins, BINS: tl.constexpr, BLOCK: tl.constexpr):
    counts = tl.zeros((BINS,), dtype=tl.int32)
    for start in range(tl.program_id(0) * BLOCK, N, tl.num_programs(0) * BLOCK):
        places = start + tl.arange(0, BLOCK)
        inside = places < N
        counts += tl.histogram(tl.load(input + places, mask=inside, other=0), BINS, mask=inside)
    numbers = tl.arange(0, BINS)
    tl.atomic_add(histogram + numbers, counts, mask=(numbers < bins) & (counts > 0), sem="relaxed")


def solve(input: torch.Tensor, histogram: torch.Tensor, N: int, BINS: int):
    BLOCK = 2048
    histogram.zero_()
    programs = min(triton.cdiv(N, BLOCK), PROGRAMS)
    count[(programs,)](input, histogram, N, BINS, BINS=max(triton.next_power_of_2(BINS), 32), BLOCK=BLOCK)
