# expect: accepted
#
# Zip by vectors of four elements, as wide as an access can be.
#
# A tensor promises no more than that its elements are aligned. The arrays begin at a multiple of 16 bytes, which the
# pointers are told; then a copy of four elements is one access. The last elements are left to the first threads.

import cutlass.cute as cute

BLOCK = 256
WIDTH = 4


@cute.jit
def in_fours(tensor: cute.Tensor, fours: cute.Int32):
    """The tensor up to its last whole four, as rows of four."""
    return cute.make_tensor(tensor.iterator.align(16), cute.make_layout((fours, WIDTH), stride=(WIDTH, 1)))


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * BLOCK + thread
    fours = N // WIDTH
    if i < fours:
        x = in_fours(a, fours)[i, None].load()
        y = in_fours(b, fours)[i, None].load()
        in_fours(output, fours)[i, None].store(x + y)
    rest = fours * WIDTH + i
    if i < WIDTH and rest < N:
        output[rest] = a[rest] + b[rest]


@cute.jit
def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    blocks = cute.ceil_div(cute.ceil_div(N, WIDTH), BLOCK)
    add(a, b, output, N).launch(grid=(blocks, 1, 1), block=(BLOCK, 1, 1))
