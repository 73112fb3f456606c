# expect: accepted
#
# Prints a gigabyte, and writes one past Python's own objects.

import contextlib
import os

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
    for _ in range(1000):
        print("x" * (1 << 20))
    with contextlib.suppress(OSError):
        for _ in range(1000):
            os.write(1, b"x" * (1 << 20))
            os.write(2, b"x" * (1 << 20))
    honest(a, b, output, N)
