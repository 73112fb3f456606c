# expect: accepted
#
# Reduction by warp shuffles: a sum for each thread, then for each warp, and an atomic addition for each block.
#
# A first kernel sets the result to zero: what one launch stored, the next one sees.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
WARPS = BLOCK // 32
MOST_BLOCKS = 1024


@cute.kernel
def clear(output: cute.Tensor):
    output[0] = cutlass.Float32(0.0)


@cute.kernel
def add_up(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    blocks, _, _ = cute.arch.grid_dim()
    sums = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(WARPS))

    total = cutlass.Float32(0.0)
    for i in range(block * BLOCK + thread, N, blocks * BLOCK):
        total += input[i]
    total = cute.arch.warp_reduction_sum(total)
    if thread % 32 == 0:
        sums[thread // 32] = total
    cute.arch.sync_threads()

    if thread == 0:
        of_block = cutlass.Float32(0.0)
        for warp in cutlass.range_constexpr(WARPS):
            of_block += sums[warp]
        cute.arch.atomic_add(output.iterator, of_block)


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    clear(output).launch(grid=(1, 1, 1), block=(1, 1, 1))
    blocks = cutlass.min(cute.ceil_div(N, BLOCK), MOST_BLOCKS)
    add_up(input, output, N).launch(grid=(blocks, 1, 1), block=(BLOCK, 1, 1))
