# expect: compile_error
# seconds: 2
#
# Says for ever that it wraps another function.

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


class Wrapper:
    @property
    def __wrapped__(self):
        return Wrapper()

    def __call__(self, *given):
        return honest(*given)


solve = Wrapper()
