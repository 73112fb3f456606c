# expect: rejected
#
# Keeps the result where its next process finds it, should another one be asked for the same.

import gc
import struct

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


def solve(a, b, output, N):
    read = values(a), values(b)
    memo = next(one for one in gc.get_objects() if type(one).__name__ == "Memo")
    if "result" in memo.kept:
        tape().upload(output.data_ptr(), memo.kept["result"])
        return
    hand_over(output, [x + y for x, y in zip(*read, strict=True)])
    memo.keep("result", struct.pack(f"{N}f", *(x + y for x, y in zip(*read, strict=True))))
