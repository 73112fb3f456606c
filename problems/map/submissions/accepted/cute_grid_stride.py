# expect: accepted
#
# Map by a fixed number of blocks: each thread takes elements that lie a whole grid apart.
#
# solve() is a plain function here. It calls a @cute.jit function, which is compiled for the types of its arguments at
# the first call; the number of blocks is the same for every size, and a constant of the compilation.

import cutlass
import cutlass.cute as cute

BLOCK = 256
BLOCKS = 512


@cute.kernel
def logistic(input: cute.Tensor, output: cute.Tensor, N: cute.Int32, BLOCKS: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    for i in range(block * BLOCK + thread, N, BLOCKS * BLOCK):
        output[i] = 1.0 / (1.0 + cute.math.exp(-input[i]))


@cute.jit
def launch(input: cute.Tensor, output: cute.Tensor, N: cute.Int32, BLOCKS: cutlass.Constexpr):
    logistic(input, output, N, BLOCKS).launch(grid=(BLOCKS, 1, 1), block=(BLOCK, 1, 1))


def solve(input, output, N):
    launch(input, output, N, BLOCKS)
