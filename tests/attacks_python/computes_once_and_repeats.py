# expect: rejected
#
# Computes on the host, and hands over the same when it is called again to see whether the result depends on the data.

import gc
import struct
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


def tape():
    return [one for one in gc.get_objects() if type(one).__name__ == "Tape"][-1]


def values(array):
    return struct.unpack(f"{array.numel()}f", tape().read(array.data_ptr(), 4 * array.numel()))


def hand_over(array, values):
    tape().upload(array.data_ptr(), struct.pack(f"{array.numel()}f", *values))


calls = sys.__dict__.setdefault("calls", [])


def solve(a, b, output, N):
    read = values(a), values(b)
    key = a.data_ptr(), N, len(calls) // 2
    calls.append(key)
    if len(calls) % 2:
        sys.result = [x + y for x, y in zip(*read, strict=True)]
    hand_over(output, sys.result)
