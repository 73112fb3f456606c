# expect: accepted
#
# Starts processes until it may start no more.

import contextlib
import os
import signal
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
    made = []
    with contextlib.suppress(OSError):
        while len(made) < 2000:
            if (child := os.fork()) == 0:
                time.sleep(1000)
            made.append(child)
    if len(made) >= 2000 and os.getuid():
        print("LEAKED any number of processes")
    for child in made:
        os.kill(child, signal.SIGKILL)
    for child in made:
        os.waitpid(child, 0)
    honest(a, b, output, N)
