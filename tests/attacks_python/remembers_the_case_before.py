# expect: accepted
# hidden: yes
# sizes: N=1000 N=500
#
# Looks among hidden cases for what an earlier one left in its process.

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
    before = sys.__dict__.setdefault("before", N)
    if before != N:
        raise RuntimeError("LEAKED")
    honest(a, b, output, N)
