# expect: runtime_error launch_failure
#
# Replaces the recorder's checks, and has blocks launched that no GPU has.

import torch
import triton
import triton.language as tl

from grader.plan.python.tape import Tape


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


usual = Tape.launch


def more(self, handle, grid, block, *given, **named):
    usual(self, handle, grid, (4096, 4096, 4096), *given, **named)


def solve(a, b, output, N):
    Tape.launch = more
    honest(a, b, output, N)
