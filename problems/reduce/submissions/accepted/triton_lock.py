# expect: accepted
#
# Each program adds up blocks of elements, and takes a lock to add its sum to the result. A lock is for what no atomic
# can do; here an atomic would, see triton_atomic.py.
#
# Whoever has the lock loads the result, changes it and stores it: tl.atomic_cas() and tl.atomic_xchg() order that after
# the program that had the lock before.

import torch
import triton
import triton.language as tl

PROGRAMS = 64


@triton.jit
def add_up(input, output, lock, N, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(tl.program_id(0) * BLOCK, N, step):
        places = start + tl.arange(0, BLOCK)
        total += tl.load(input + places, mask=places < N, other=0.0)
    part = tl.sum(total)

    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(output, tl.load(output) + part)
    tl.atomic_xchg(lock, 0)


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    lock = torch.zeros(1, dtype=torch.int32, device="cuda")
    output.zero_()
    add_up[(min(triton.cdiv(N, 1024), PROGRAMS),)](input, output, lock, N, BLOCK=1024)
