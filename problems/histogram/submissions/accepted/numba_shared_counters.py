# expect: accepted
#
# Histogram in numba: counters of each block in shared memory.
#
# Threads of a block count together, with atomics that don't leave the SM; then each block adds its counters to the
# result. The counters' number is only known at the launch, so they are dynamic shared memory.

from numba import cuda, int32

BLOCK = 256
MOST_BLOCKS = 1024


@cuda.jit
def clear(histogram):
    i = cuda.grid(1)
    if i < histogram.size:
        histogram[i] = 0


@cuda.jit
def count(input, histogram, N, BINS):
    counters = cuda.shared.array(0, int32)
    for i in range(cuda.threadIdx.x, BINS, BLOCK):
        counters[i] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), N, cuda.gridsize(1)):
        cuda.atomic.add(counters, input[i], 1)
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, BINS, BLOCK):
        if counters[i] > 0:
            cuda.atomic.add(histogram, i, counters[i])


def solve(input, histogram, N, BINS):
    clear.forall(BINS)(histogram)
    blocks = min((N + BLOCK - 1) // BLOCK, MOST_BLOCKS)
    count[blocks, BLOCK, 0, 4 * BINS](input, histogram, N, BINS)
