# expect: accepted
#
# Prefix sum with a block for each row, which walks along it piece by piece.
#
# Within a piece each warp scans its 32 elements by shuffles, and adds the sums of the warps before it. The sum of all
# pieces so far is carried from one to the next.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
WARPS = BLOCK // 32


@cute.kernel
def scan(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    lane, warp = thread % 32, thread // 32
    sums = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(WARPS))

    carried = cutlass.Float32(0.0)
    for first in range(0, N, BLOCK):
        i = first + thread
        value = cutlass.Float32(0.0)
        if i < N:
            value = input[row, i]
        for step in cutlass.range_constexpr(5):
            # All lanes take part in the shuffle; the first ones have nobody to add.
            before = cute.arch.shuffle_sync_up(value, 1 << step, mask_and_clamp=0)
            if lane >= 1 << step:
                value += before

        if lane == 31:
            sums[warp] = value
        cute.arch.sync_threads()
        of_piece = cutlass.Float32(0.0)
        for other in cutlass.range_constexpr(WARPS):
            if other == warp:
                value += carried + of_piece
            of_piece += sums[other]
        if i < N:
            output[row, i] = value
        carried += of_piece
        cute.arch.sync_threads()


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    scan(input, output, N).launch(grid=(M, 1, 1), block=(BLOCK, 1, 1))
