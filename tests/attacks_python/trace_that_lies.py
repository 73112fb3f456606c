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
    if frame.f_code.co_name == "line" and event == "return":
        frame.f_locals["frame"] = None
    if frame.f_code.co_name == "_add":
        frame.f_locals["fields"].update(at=[-1])
    return watch


def solve(a, b, output, N):
    threading.setprofile_all_threads(watch) if hasattr(threading, "setprofile_all_threads") else None
    sys.settrace(watch)
    add[(triton.cdiv(N, 256),)](a, b, output, N + 1000, BLOCK=256)
