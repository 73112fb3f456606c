# expect: accepted
#
# Prefix sums of rows: a program goes along its row in blocks, and adds to each the sum of all before.

import torch
import triton
import triton.language as tl


@triton.jit
def add(left, right):
    return left + right


@triton.jit
def scan_rows(input, output, N, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    before = 0.0
    for start in range(0, N, BLOCK):
        inside = start + columns < N
        elements = tl.load(input + first + start + columns, mask=inside, other=0.0)
        sums = before + tl.associative_scan(elements, 0, add)
        tl.store(output + first + start + columns, sums, mask=inside)
        before += tl.sum(elements, axis=0)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    BLOCK = min(max(triton.next_power_of_2(N), 128), 2048)
    scan_rows[(M,)](input, output, N, BLOCK=BLOCK)
