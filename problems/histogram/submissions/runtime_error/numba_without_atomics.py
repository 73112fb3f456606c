# expect: runtime_error data_race
#
# Histogram in numba that counts without atomics.
#
# The student thought: "+= is one operation". It is a load, an addition and a store, and threads that count the same
# number at the same time overwrite each other's results.

from numba import cuda

BLOCK = 256


@cuda.jit
def count(input, histogram, N):
    i = cuda.grid(1)
    if i < N:
        histogram[input[i]] += 1  # <- here


def solve(input, histogram, N, BINS):
    histogram[:] = 0
    count[(N + BLOCK - 1) // BLOCK, BLOCK](input, histogram, N)
