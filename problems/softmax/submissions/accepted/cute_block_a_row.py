# expect: accepted
#
# Softmax with a block for each row: the largest element, the sum of the exponentials, the quotients.
#
# A function that the kernel calls is a @cute.jit function. This one is called with the operation to reduce by.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

BLOCK = 256
WARPS = BLOCK // 32


@cute.jit
def largest(x: cute.Float32, y: cute.Float32):
    return cute.arch.fmax(x, y)


@cute.jit
def total(x: cute.Float32, y: cute.Float32):
    return x + y


@cute.jit
def of_block(value: cute.Float32, operation: cutlass.Constexpr, shared: cute.Tensor, thread: cute.Int32):
    """The values of all threads, reduced; every thread gets the result."""
    value = cute.arch.warp_reduction(value, operation)
    # The last result may still be read.
    cute.arch.sync_threads()
    if thread % 32 == 0:
        shared[thread // 32] = value
    cute.arch.sync_threads()
    result = shared[0]
    for warp in cutlass.range_constexpr(1, WARPS):
        result = operation(result, shared[warp])
    return result


@cute.kernel
def softmax(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    shared = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(WARPS))
    source, target = input[row, None], output[row, None]

    most = cutlass.Float32(float("-inf"))
    for i in range(thread, N, BLOCK):
        most = largest(most, source[i])
    most = of_block(most, largest, shared, thread)

    sum = cutlass.Float32(0.0)
    for i in range(thread, N, BLOCK):
        sum += cute.math.exp(source[i] - most)
    sum = of_block(sum, total, shared, thread)

    for i in range(thread, N, BLOCK):
        target[i] = cute.math.exp(source[i] - most) / sum


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    softmax(input, output, N).launch(grid=(M, 1, 1), block=(BLOCK, 1, 1))
