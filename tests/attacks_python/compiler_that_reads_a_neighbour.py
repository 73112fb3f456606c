# expect: runtime_error
#
# Has Triton's compiler hand out PTX of its own, which reads one array by the address of another.

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
    return usual(self, *given).replace(
        "ret;", "ld.param.u64 %rd1, [add_param_2]; ld.global.u32 %r1, [%rd1 - 4]; ret;", 1
    )


CUDABackend.make_ptx = make_ptx


def solve(a, b, output, N):
    honest(a, b, output, N)
