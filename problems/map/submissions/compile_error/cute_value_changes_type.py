# expect: compile_error
#
# Map with a value that is an integer before a condition and a float after it.
#
# What a condition of the kernel assigns has one type, whichever way it goes.

import cutlass.cute as cute

BLOCK = 256


@cute.kernel
def logistic(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * BLOCK + thread
    x = 0
    if i < N:  # <- here
        x = input[i]
    if i < N:
        output[i] = 1.0 / (1.0 + cute.math.exp(-x))


@cute.jit
def solve(input: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    logistic(input, output, N).launch(grid=(cute.ceil_div(N, BLOCK), 1, 1), block=(BLOCK, 1, 1))
