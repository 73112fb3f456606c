# expect: accepted | rejected | runtime_error
#
# Floods the report with notes that clear the screen, turn text around, and give GitHub's runner orders.

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
    judge = channel()
    for line in range(1_000):
        text = f"\x1b[2J\u202e\r\n::error::{line}\n<script>alert(1)</script>" + "x" * 1000
        judge.send({"op": "note", "text": text, "at": [line]})
    honest(a, b, output, N)
