# expect: runtime_error
#
# Watches each line of the recorder by sys.settrace(), and each call of its threads: only its own report misleads.

import sys
import threading

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


def watch(frame, event, argument):
    for value in list(frame.f_locals.values()):
        if type(value) is dict and "at" in value:
            value.update(at=[1])
    return watch


def solve(a, b, output, N):
    threading.settrace(watch)
    sys.settrace(watch)
    add[(triton.cdiv(N, 256),)](a, b, output, N + 1000, BLOCK=256)
