# expect: runtime_error out_of_bounds
#
# Zip by tiles without a predicate.
#
# The arrays are cut into tiles, and the last tile reaches beyond their end. A tensor does not check its indices.

import cutlass.cute as cute

BLOCK = 256


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    output[thread, block] = a[thread, block] + b[thread, block]  # <- here


@cute.jit
def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    tiles = [cute.zipped_divide(tensor, (BLOCK,)) for tensor in (a, b, output)]
    add(*tiles).launch(grid=(cute.size(tiles[0], mode=[1]), 1, 1), block=(BLOCK, 1, 1))
