# expect: accepted
#
# Layer norm in numba: a warp for each row, whose lanes exchange their sums.
#
# The variance is the mean of the squared distances from the mean, in a second pass: the difference of two large means
# would lose its digits where a row lies far from 0.

import math

from numba import cuda, float32

WARPS = 8
ALL_LANES = 0xFFFFFFFF
EPSILON = float32(1e-5)


@cuda.jit(device=True)
def sum_of_warp(value):
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(ALL_LANES, value, distance)
    return value


@cuda.jit
def normalise(input, weight, bias, output, M, N):
    lane, row = cuda.threadIdx.x, cuda.blockIdx.x * WARPS + cuda.threadIdx.y
    if row >= M:
        return
    total = float32(0)
    for i in range(lane, N, 32):
        total += input[row, i]
    mean = sum_of_warp(total) / float32(N)

    squares = float32(0)
    for i in range(lane, N, 32):
        distance = input[row, i] - mean
        squares += distance * distance
    scale = float32(1) / math.sqrt(sum_of_warp(squares) / float32(N) + EPSILON)

    for i in range(lane, N, 32):
        output[row, i] = (input[row, i] - mean) * scale * weight[i] + bias[i]


def solve(input, weight, bias, output, M, N):
    normalise[(M + WARPS - 1) // WARPS, (32, WARPS)](input, weight, bias, output, M, N)
