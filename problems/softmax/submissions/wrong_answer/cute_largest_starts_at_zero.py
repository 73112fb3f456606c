# expect: wrong_answer wrong_value
#
# Softmax whose largest element is never negative.
#
# In a row far below zero all exponentials are zeros then, and their quotient is no number.

import cutlass
import cutlass.cute as cute


@cute.kernel
def softmax(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    lane, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    most = cutlass.Float32(0.0)
    for i in range(lane, N, 32):
        most = cute.arch.fmax(most, input[row, i])
    most = cute.arch.warp_reduction_max(most)

    sum = cutlass.Float32(0.0)
    for i in range(lane, N, 32):
        sum += cute.math.exp(input[row, i] - most)
    sum = cute.arch.warp_reduction_sum(sum)
    for i in range(lane, N, 32):
        output[row, i] = cute.math.exp(input[row, i] - most) / sum


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, M: cute.Int32, N: cute.Int32):
    softmax(input, output, N).launch(grid=(M, 1, 1), block=(32, 1, 1))
