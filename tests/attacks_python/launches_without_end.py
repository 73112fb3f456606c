# expect: time_limit_exceeded
#
# Launches for ever: so does a loop whose counter was forgotten.

import gc

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


def tape():
    return [one for one in gc.get_objects() if type(one).__name__ == "Tape"][-1]


def solve(a, b, output, N):
    tape_ = tape()
    while True:
        tape_.copy(a.data_ptr(), b.data_ptr(), 4)
