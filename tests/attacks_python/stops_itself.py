# expect: time_limit_exceeded | runtime_error
# seconds: 2
#
# Stops its own process, which then answers nothing. Landlock lets it send no signal by kill().

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
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(1000)
