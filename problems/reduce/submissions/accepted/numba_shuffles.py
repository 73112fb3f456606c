# expect: accepted
#
# Reduction in numba: shuffles inside of each warp, then one atomic addition.
#
# The lanes of a warp pass on their sums in registers, without shared memory or barriers. output[0] starts at 0.

from numba import cuda, float32

BLOCK = 256
MOST_BLOCKS = 1024
ALL_LANES = 0xFFFFFFFF


@cuda.jit
def add_up(input, output, N):
    total = float32(0)
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        total += input[i]
    for distance in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL_LANES, total, distance)
    if cuda.laneid == 0:
        cuda.atomic.add(output, 0, total)


def solve(input, output, N):
    output[0] = 0
    add_up[min((N + BLOCK - 1) // BLOCK, MOST_BLOCKS), BLOCK](input, output, N)
