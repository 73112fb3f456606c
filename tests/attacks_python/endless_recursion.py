# expect: runtime_error | time_limit_exceeded | memory_limit_exceeded
#
# Calls itself for ever, in C too.

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


def solve(a, b, output, N):
    nested = []
    for _ in range(1_000_000):
        nested = [nested]
    sys.setrecursionlimit(1 << 30)
    repr(nested)
