# expect: runtime_error
#
# Replaces what Python knows of its source: only its own report misleads.

import linecache

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


linecache.getlines = lambda *_: ["\x1b[2J"] * 1000
linecache.cache.clear()


def solve(a, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N + 1000, BLOCK=256)
