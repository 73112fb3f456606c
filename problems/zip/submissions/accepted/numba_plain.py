# expect: accepted
#
# Zip in numba: one thread for each element.
#
# The last block has more threads than there are elements left, so each thread asks whether its element exists.

from numba import cuda

BLOCK = 256


@cuda.jit
def add(a, b, output, N):
    i = cuda.grid(1)
    if i < N:
        output[i] = a[i] + b[i]


def solve(a, b, output, N):
    add[(N + BLOCK - 1) // BLOCK, BLOCK](a, b, output, N)
