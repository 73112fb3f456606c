# expect: wrong_answer wrong_value
#
# Layer normalisation in which the zeros beyond the end of a row count: each differs from the mean, and adds its square.
#
# Rows of 128, 256 or 512 elements fill their block, and are right.

import torch
import triton
import triton.language as tl

EPSILON = tl.constexpr(1e-5)


@triton.jit
def normalise_rows(input, weight, bias, output, N, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    elements = tl.load(input + first + columns, mask=inside, other=0.0)
    mean = tl.sum(elements, axis=0) / N
    difference = elements - mean
    variance = tl.sum(difference * difference, axis=0) / N
    factor, summand = tl.load(weight + columns, mask=inside), tl.load(bias + columns, mask=inside)
    result = difference / tl.sqrt(variance + EPSILON) * factor + summand
    tl.store(output + first + columns, result, mask=inside)


def solve(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, output: torch.Tensor, M: int, N: int):
    normalise_rows[(M,)](input, weight, bias, output, N, BLOCK=triton.next_power_of_2(N), num_warps=8)
