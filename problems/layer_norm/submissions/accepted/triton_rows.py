# expect: accepted
#
# Layer normalisation: a program goes over its row three times, for the mean, for the variance, for the result.
#
# The variance is the mean of squared differences: the difference of two means would cancel where a row is far from 0.

import torch
import triton
import triton.language as tl

EPSILON = tl.constexpr(1e-5)


@triton.jit
def normalise_rows(input, weight, bias, output, N, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)

    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        sums += tl.load(input + first + start + columns, mask=start + columns < N, other=0.0)
    mean = tl.sum(sums, axis=0) / N

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        inside = start + columns < N
        elements = tl.load(input + first + start + columns, mask=inside, other=0.0)
        # Beyond the end there is no element, not an element 0.
        difference = tl.where(inside, elements - mean, 0.0)
        squares += difference * difference
    inverse = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / N + EPSILON)

    for start in range(0, N, BLOCK):
        place = start + columns
        inside = place < N
        elements = tl.load(input + first + place, mask=inside)
        factor = tl.load(weight + place, mask=inside)
        summand = tl.load(bias + place, mask=inside)
        tl.store(output + first + place, (elements - mean) * inverse * factor + summand, mask=inside)


def solve(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, output: torch.Tensor, M: int, N: int):
    BLOCK = min(max(triton.next_power_of_2(N), 128), 4096)
    num_warps = min(max(BLOCK // 256, 1), 8)
    normalise_rows[(M,)](input, weight, bias, output, N, BLOCK=BLOCK, num_warps=num_warps)
