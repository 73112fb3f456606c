# expect: runtime_error uninitialized_read
#
# Reduction in numba that adds to an output which nobody has set to 0.
#
# The student tested with an output made by numpy.zeros(). solve() gets memory that holds whatever was there before.

from numba import cuda

BLOCK = 256


@cuda.jit
def add_up(input, output, N):
    i = cuda.grid(1)
    if i < N:
        cuda.atomic.add(output, 0, input[i])  # <- here


def solve(input, output, N):
    add_up[(N + BLOCK - 1) // BLOCK, BLOCK](input, output, N)
