# expect: accepted
#
# Layer norm with a block for each row: the mean first, then the mean square of the differences from it.
#
# The sum of squares less the square of the sum would be quicker, and wrong where the mean is large.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
WARPS = BLOCK // 32
EPSILON = 1e-5


@cute.jit
def sum_of_block(value: cute.Float32, shared: cute.Tensor, thread: cute.Int32):
    """The sum of the values of all threads; every thread gets it."""
    value = cute.arch.warp_reduction_sum(value)
    # The last sum may still be read.
    cute.arch.sync_threads()
    if thread % 32 == 0:
        shared[thread // 32] = value
    cute.arch.sync_threads()
    sum = cutlass.Float32(0.0)
    for warp in cutlass.range_constexpr(WARPS):
        sum += shared[warp]
    return sum


@cute.kernel
def normalise(input: cute.Tensor, weight: cute.Tensor, bias: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    shared = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(WARPS))
    source, target = input[row, None], output[row, None]

    sum = cutlass.Float32(0.0)
    for i in range(thread, N, BLOCK):
        sum += source[i]
    mean = sum_of_block(sum, shared, thread) / cutlass.Float32(N)

    squares = cutlass.Float32(0.0)
    for i in range(thread, N, BLOCK):
        difference = source[i] - mean
        squares += difference * difference
    variance = sum_of_block(squares, shared, thread) / cutlass.Float32(N)
    factor = 1.0 / cute.math.sqrt(variance + EPSILON)

    for i in range(thread, N, BLOCK):
        target[i] = (source[i] - mean) * factor * weight[i] + bias[i]


@cute.jit
def solve(
    input: cute.Tensor, weight: cute.Tensor, bias: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32
):
    normalise(input, weight, bias, output, N).launch(grid=(M, 1, 1), block=(BLOCK, 1, 1))
