# expect: accepted | memory_limit_exceeded
#
# Writes until there is no room: its folder lies in memory and has a size. On a disk its process is ended.

import contextlib
import sys
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
    written = 0
    with contextlib.suppress(OSError):
        # The second call finds the limit as the first did.
        for number in range(0 if hasattr(sys, "filled") else 1000):
            written += Path(str(number)).write_bytes(bytes(32 << 20))
    if written > 600 << 20:
        print("LEAKED a folder without limits")
    sys.filled = True
    for path in Path().glob("[0-9]*"):
        path.unlink()
    honest(a, b, output, N)
