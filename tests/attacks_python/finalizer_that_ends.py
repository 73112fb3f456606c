# expect: wrong_answer | rejected | runtime_error
# sizes: N=1000 N=1001
#
# Leaves objects whose finalizers tell of the end of the calls to come.

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


class Ending:
    def __init__(self, judge):
        self.judge = judge
        self.itself = self

    def __del__(self):
        self.judge.send({"op": "end", "errors": []})


def solve(a, b, output, N):
    if N == 1000:
        gc.set_threshold(1)
        gc.callbacks.append(lambda *_: Ending(channel()))
    honest(a, b, output, N)
