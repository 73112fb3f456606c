# expect: wrong_answer | rejected | runtime_error
#
# Leaves a thread that answers the calls to come.

import gc
import threading
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


def flood(judge):
    while True:
        judge.send({"op": "end", "errors": []})
        time.sleep(0.001)


def solve(a, b, output, N):
    threading.Thread(target=flood, args=(channel(),), daemon=True).start()
    honest(a, b, output, N)
