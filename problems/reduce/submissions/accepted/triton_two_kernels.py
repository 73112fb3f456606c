# expect: accepted
#
# The sum of a vector in two steps: as many partial sums as there are programs, then the sum of these.
#
# A program adds up its elements in a block of sums, and the block only once, after its last element.

import torch
import triton
import triton.language as tl

PROGRAMS = 1024


@triton.jit
def add_parts(input, parts, N, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(first, N, tl.num_programs(0) * BLOCK):
        places = start + tl.arange(0, BLOCK)
        sums += tl.load(input + places, mask=places < N, other=0.0)
    tl.store(parts + tl.program_id(0), tl.sum(sums))


@triton.jit
def add_up(parts, output, count, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    tl.store(output, tl.sum(tl.load(parts + places, mask=places < count, other=0.0)))


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    programs = min(triton.cdiv(N, BLOCK), PROGRAMS)
    parts = torch.empty(programs, dtype=torch.float32, device=input.device)
    add_parts[(programs,)](input, parts, N, BLOCK=BLOCK)
    add_up[(1,)](parts, output, programs, BLOCK=triton.next_power_of_2(programs))
