# expect: wrong_answer | rejected | runtime_error
#
# Has a timer tell of the end, again and again, and never returns.

import gc
import signal

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
    judge = channel()
    signal.signal(signal.SIGALRM, lambda *_: judge.send({"op": "end", "errors": []}))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    while True:
        signal.pause()
