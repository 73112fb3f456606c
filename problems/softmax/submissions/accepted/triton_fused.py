# expect: accepted
#
# Softmax of rows that stay on the chip: a row is read once, and written once.
#
# Only as many programs are launched as the GPU holds at a time, and each goes from row to row. Rows too long for the
# registers of a program are read twice, in pieces: once for the largest element and the sum, once for the result.

import torch
import triton
import triton.language as tl

LONGEST = 65536


@triton.jit
def softmax_of_rows(input, output, M, N, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), M, tl.num_programs(0)):
        first = row.to(tl.int64) * N
        elements = tl.load(input + first + columns, mask=columns < N, other=-float("inf"))
        # The largest exponent is 0: nothing overflows.
        exponentials = tl.exp(elements - tl.max(elements, axis=0))
        result = exponentials / tl.sum(exponentials, axis=0)
        tl.store(output + first + columns, result, mask=columns < N)


@triton.jit
def softmax_of_long_rows(input, output, M, N, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        inside = start + columns < N
        elements = tl.load(input + first + start + columns, mask=inside, other=-float("inf"))
        larger = tl.maximum(largest, tl.max(elements, axis=0))
        # What was added up before was relative to a smaller element.
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(elements - larger), axis=0)
        largest = larger
    for start in range(0, N, BLOCK):
        inside = start + columns < N
        elements = tl.load(input + first + start + columns, mask=inside)
        tl.store(output + first + start + columns, tl.exp(elements - largest) / total, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    if N > LONGEST:
        softmax_of_long_rows[(M,)](input, output, M, N, BLOCK=8192, num_warps=16)
        return
    BLOCK = triton.next_power_of_2(N)
    num_warps = 16 if BLOCK > 8192 else 8 if BLOCK > 1024 else 4
    properties = torch.cuda.get_device_properties(input.device)
    kernel = softmax_of_rows.warmup(input, output, M, N, BLOCK=BLOCK, num_warps=num_warps, grid=(1,))
    kernel._init_handles()
    registers = properties.regs_per_multiprocessor // (kernel.n_regs * properties.warp_size * num_warps)
    shared = properties.shared_memory_per_multiprocessor // max(kernel.metadata.shared, 1)
    programs = properties.multi_processor_count * max(min(registers, shared), 1)
    kernel[(min(programs, M), 1, 1)](input, output, M, N, BLOCK)
