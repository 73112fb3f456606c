# expect: time_limit_exceeded
#
# A while loop that never ends: the remainder, which is for the offsets of loads, is taken of the counter.

import torch
import triton
import triton.language as tl

PROGRAMS = 64


@triton.jit
def add_up(input, output, N, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    start = tl.program_id(0) * BLOCK
    while start < N:
        places = start + tl.arange(0, BLOCK)
        total += tl.load(input + places, mask=places < N, other=0.0)
        start = (start + tl.num_programs(0) * BLOCK) % N
    tl.atomic_add(output, tl.sum(total))


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    output.zero_()
    add_up[(min(triton.cdiv(N, 1024), PROGRAMS),)](input, output, N, BLOCK=1024)
