# expect: runtime_error
# seconds: 2
#
# Announces a frame of two gigabytes.

import gc
import os
import struct
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


def channel():
    return next(one for one in gc.get_objects() if type(one).__name__ == "Channel")


def solve(a, b, output, N):
    os.write(channel()._connection.fileno(), struct.pack("!i", 0x7FFFFFFF) + bytes(1000))
    time.sleep(1000)
