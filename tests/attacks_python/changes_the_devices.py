# expect: accepted
#
# Changes the times and the mode of the device files, which are the host's own, and prints LEAKED where it may.

import os
from contextlib import suppress
from pathlib import Path

import torch
import triton
import triton.language as tl

for change in (lambda: os.utime("/dev/full", (0, 0)), lambda: Path("/dev/full").chmod(0o666)):
    with suppress(OSError):
        change()
        print("LEAKED")


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def solve(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)
