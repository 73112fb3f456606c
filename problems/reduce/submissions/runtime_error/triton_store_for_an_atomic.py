# expect: runtime_error data_race
#
# Each program adds its sum to the output by a load and a store: of programs that do so at the same time, one counts.

import torch
import triton
import triton.language as tl


@triton.jit
def add_block(input, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(input + places, mask=places < N, other=0.0), axis=0)
    tl.store(output, tl.load(output) + total)  # <- here


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 128
    output.zero_()
    add_block[(triton.cdiv(N, BLOCK),)](input, output, N, BLOCK=BLOCK, num_warps=1)
