# expect: accepted
#
# The sum of two vectors: each program adds one block of elements, and the mask leaves out what is beyond the end.

import torch
import triton
import triton.language as tl


@triton.jit
def add_blocks(a, b, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    total = tl.load(a + places, mask=inside) + tl.load(b + places, mask=inside)
    tl.store(output + places, total, mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    assert a.is_cuda and a.is_contiguous()
    grid = lambda meta: (triton.cdiv(N, meta["BLOCK"]),)  # noqa: E731
    add_blocks[grid](a, b, output, N, BLOCK=1024)
