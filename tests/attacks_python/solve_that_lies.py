# expect: compile_error | runtime_error | accepted
#
# Is no function, and has every attribute that is asked for.

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


class Liar:
    def __getattr__(self, name):
        return self

    def __call__(self, *given):
        return honest(*given)


solve = Liar()
