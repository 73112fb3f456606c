# expect: rejected
#
# Sends lists in lists, deeper than the parser's own stack.

import gc

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
    channel()._connection.send_bytes(b'{"op": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}")
