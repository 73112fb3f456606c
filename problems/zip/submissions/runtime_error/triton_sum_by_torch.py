# expect: runtime_error unsupported_call
#
# No kernel at all: PyTorch adds the vectors, and the copy of its result is all that is left to do.

import torch
import triton
import triton.language as tl


@triton.jit
def copy_blocks(source, target, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + places, tl.load(source + places, mask=places < N), mask=places < N)


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    total = a + b  # <- here
    copy_blocks[(triton.cdiv(N, 1024),)](total, output, N, BLOCK=1024)
