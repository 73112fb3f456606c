# expect: accepted
#
# Zip in numba: as many blocks as keep the GPU busy, and a loop in each thread.
#
# The loop's stride is the number of all threads, so that neighbouring threads always read neighbouring elements.

from numba import cuda

BLOCK = 256
BLOCKS_PER_SM = 8


@cuda.jit
def add(a, b, output):
    for i in range(cuda.grid(1), output.size, cuda.gridsize(1)):
        output[i] = a[i] + b[i]


def solve(a, b, output, N):
    most = BLOCKS_PER_SM * cuda.get_current_device().MULTIPROCESSOR_COUNT
    add[min((N + BLOCK - 1) // BLOCK, most), BLOCK](a, b, output)
