# expect: wrong_answer unwritten_output
#
# As many programs as there are whole blocks: N // BLOCK leaves out the rest, where triton.cdiv() rounds up.

import torch
import triton
import triton.language as tl


@triton.jit
def map_blocks(input, output, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    tl.store(output + places, 1.0 / (1.0 + tl.exp(-tl.load(input + places, mask=inside))), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    BLOCK = 1024
    map_blocks[(N // BLOCK,)](input, output, N, BLOCK=BLOCK)
