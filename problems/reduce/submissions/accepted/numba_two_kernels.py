# expect: accepted
#
# Reduction in numba, in two launches of one kernel: a sum for each block, then the sum of these.
#
# The end of a kernel is a barrier for the whole grid. No atomics, so the result is the same in every run.

import numpy as np
from numba import cuda, float32

BLOCK = 256
MOST_BLOCKS = 1024


@cuda.jit
def add_up(input, sums, count):
    shared = cuda.shared.array(BLOCK, float32)
    thread = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total += input[i]
    shared[thread] = total
    cuda.syncthreads()

    width = BLOCK // 2
    while width > 0:
        if thread < width:
            shared[thread] += shared[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = shared[0]


def solve(input, output, N):
    blocks = min((N + BLOCK - 1) // BLOCK, MOST_BLOCKS)
    sums = cuda.device_array(blocks, np.float32)
    add_up[blocks, BLOCK](input, sums, N)
    add_up[1, BLOCK](sums, output, blocks)
