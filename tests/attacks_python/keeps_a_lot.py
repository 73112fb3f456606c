# expect: accepted
# first: open N=777
#
# Has more kept than there is room for.

import gc
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
    memo = next(one for one in gc.get_objects() if type(one).__name__ == "Memo")
    if not hasattr(sys, "kept"):
        sys.kept = memo.keep("large", bytes(9_000_000))
    if "large" in memo.kept and memo.kept["large"][:1] == b"x":
        print("LEAKED")
    honest(a, b, output, N)
