# expect: accepted
#
# Map in numba: a device function for the formula, and forall() for the launch.
#
# forall() chooses the block and rounds the grid up. The constants are float32: with Python's own floats, which are
# doubles, the whole formula would be computed in double precision.

import math

from numba import cuda, float32

ONE = float32(1)


@cuda.jit(device=True)
def logistic(x):
    return ONE / (ONE + math.exp(-x))


@cuda.jit
def apply(input, output):
    i = cuda.grid(1)
    if i < output.size:
        output[i] = logistic(input[i])


def solve(input, output, N):
    apply.forall(N)(input, output)
