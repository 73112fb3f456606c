# expect: accepted
#
# Histogram with counters of each block in shared memory, which it adds to the result at its end.
#
# The result is cleared by a kernel of its own, because what solve() gets is not. Shared memory has room for the most
# counters that there can be; a block uses BINS of them.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
MOST_BINS = 4096
MOST_BLOCKS = 256


@cute.kernel
def clear(histogram: cute.Tensor, BINS: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    bin = block * BLOCK + thread
    if bin < BINS:
        histogram[bin] = cutlass.Int32(0)


@cute.kernel
def count(input: cute.Tensor, histogram: cute.Tensor, N: cute.Int32, BINS: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    blocks, _, _ = cute.arch.grid_dim()
    counters = SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(MOST_BINS))
    for bin in range(thread, BINS, BLOCK):
        counters[bin] = cutlass.Int32(0)
    cute.arch.sync_threads()

    for i in range(block * BLOCK + thread, N, blocks * BLOCK):
        cute.arch.atomic_add(counters.iterator + input[i], cutlass.Int32(1))
    cute.arch.sync_threads()

    for bin in range(thread, BINS, BLOCK):
        if counters[bin] > 0:
            cute.arch.atomic_add(histogram.iterator + bin, counters[bin])


@cute.jit
def solve(input: cute.Tensor, histogram: cute.Tensor, N: cute.Int32, BINS: cute.Int32):
    clear(histogram, BINS).launch(grid=(cute.ceil_div(BINS, BLOCK), 1, 1), block=(BLOCK, 1, 1))
    blocks = cutlass.min(cute.ceil_div(N, BLOCK), MOST_BLOCKS)
    count(input, histogram, N, BINS).launch(grid=(blocks, 1, 1), block=(BLOCK, 1, 1))
