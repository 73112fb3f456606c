# expect: runtime_error uninitialized_read
#
# Reduction by atomic additions to a result that nobody has set to zero.
#
# The arrays that solve() gets for its results are not cleared.

import cutlass
import cutlass.cute as cute

BLOCK = 256


@cute.kernel
def add_up(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * BLOCK + thread
    value = cutlass.Float32(0.0)
    if i < N:
        value = input[i]
    value = cute.arch.warp_reduction_sum(value)
    if thread % 32 == 0:
        cute.arch.atomic_add(output.iterator, value)  # <- here


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    add_up(input, output, N).launch(grid=(cute.ceil_div(N, BLOCK), 1, 1), block=(BLOCK, 1, 1))
