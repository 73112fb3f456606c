# expect: accepted
#
# Attaches to its parents, and sends signals to all it may reach.

import ctypes
import os

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
    libc = ctypes.CDLL(None, use_errno=True)
    for process in (1, os.getppid(), 2, 3):
        if process > 1 and process != os.getpid() and libc.ptrace(16, process, 0, 0) == 0:
            print("LEAKED: attached to", process)
    if libc.unshare(0x10000000) == 0 or (libc.setuid(0) == 0 and libc.chroot(b"/usr") == 0):
        print("LEAKED: new rights")
    honest(a, b, output, N)
