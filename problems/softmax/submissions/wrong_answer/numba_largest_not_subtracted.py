# expect: wrong_answer wrong_value
#
# Softmax in numba straight from the formula.
#
# The student divides exp(x) by the sum of all exp(x). From about 89 on exp() of a float is infinite, and the result is
# no number.

import math

from numba import cuda, float32

BLOCK = 64


@cuda.jit
def softmax(input, output, M, N):
    row = cuda.grid(1)
    if row < M:
        total = float32(0)
        for i in range(N):
            total += math.exp(input[row, i])
        for i in range(N):
            output[row, i] = math.exp(input[row, i]) / total


def solve(input, output, M, N):
    softmax[(M + BLOCK - 1) // BLOCK, BLOCK](input, output, M, N)
