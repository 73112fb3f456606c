# expect: compile_error | runtime_error | accepted
#
# Has a code object whose numbers are none.

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


class Code:
    co_argcount = float("nan")
    co_flags = 0
    co_firstlineno = -1.5


class Function:
    __code__ = Code()

    def __call__(self, *given):
        return honest(*given)


solve = Function()
