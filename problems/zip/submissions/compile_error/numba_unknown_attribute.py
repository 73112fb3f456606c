# expect: compile_error
#
# Zip in numba that asks an array for an attribute that it does not have.
#
# The student knows .length from another language. A kernel is compiled at its first launch, and its types are checked
# then.

from numba import cuda

BLOCK = 256


@cuda.jit
def add(a, b, output):
    i = cuda.grid(1)
    if i < output.length:  # <- here
        output[i] = a[i] + b[i]


def solve(a, b, output, N):
    add[(N + BLOCK - 1) // BLOCK, BLOCK](a, b, output)
