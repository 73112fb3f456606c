# expect: accepted
#
# Starts processes, which a limit counts, and leaves them.

import contextlib
import os
import resource
import time

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
    if not 0 < resource.getrlimit(resource.RLIMIT_NPROC)[0] < 1000:
        print("LEAKED any number of processes")
    with contextlib.suppress(OSError):
        for _ in range(20):
            if os.fork() == 0:
                time.sleep(1000)
    honest(a, b, output, N)
