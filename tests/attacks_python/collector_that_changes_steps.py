# expect: wrong_answer | rejected | runtime_error
#
# Changes steps that wait to be told whenever Python collects garbage: a smaller grid, and copies between inputs.

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


def change(*_):
    for one in gc.get_objects():
        if type(one).__name__ == "Tape":
            for step in one._steps:
                step.update(grid=[1, 1, 1])


def solve(a, b, output, N):
    gc.callbacks.append(change)
    honest(a, b, output, N)
    gc.collect()
