# expect: accepted | runtime_error
#
# Replaces the object that its output goes to by one that raises.

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


class Loud:
    def __getattr__(self, name):
        raise RuntimeError(name)


def solve(a, b, output, N):
    sys.stdout = Loud()
    honest(a, b, output, N)
