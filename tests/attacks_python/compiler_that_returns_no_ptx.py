# expect: runtime_error | compile_error
#
# Has Triton's compiler hand out something that is no PTX.

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
    return "\x00" * 1000


CUDABackend.make_ptx = make_ptx


def solve(a, b, output, N):
    honest(a, b, output, N)
