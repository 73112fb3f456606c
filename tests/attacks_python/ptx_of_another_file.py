# expect: runtime_error out_of_bounds
#
# Has its PTX say that its lines are those of files of the machine.

import re

import torch
import triton
import triton.language as tl
from triton.backends.nvidia.compiler import CUDABackend


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


usual = CUDABackend.make_ptx


def make_ptx(self, *given):
    text = re.sub(r'(\.file\s+\d+) ".*?"( ".*?")?', r'\1 "/etc/passwd"', usual(self, *given))
    return re.sub(r"\.loc\s+\d+ \d+", ".loc 1 1", text)


CUDABackend.make_ptx = make_ptx


def solve(a, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N + 1000, BLOCK=256)
