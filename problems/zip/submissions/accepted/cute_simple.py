# expect: accepted
#
# Zip: a thread for each element.

import cutlass.cute as cute

BLOCK = 256


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * BLOCK + thread
    if i < N:
        output[i] = a[i] + b[i]


@cute.jit
def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    add(a, b, output, N).launch(grid=(cute.ceil_div(N, BLOCK), 1, 1), block=(BLOCK, 1, 1))
