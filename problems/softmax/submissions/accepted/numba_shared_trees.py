# expect: accepted
#
# Softmax in numba: a block for each row, and two trees in shared memory.
#
# One tree finds the row's largest element, the other adds up the exponentials of the distances from it, which are
# never above 1: exp() of a large element itself would be infinite.

import math

from numba import cuda, float32

BLOCK = 256


@cuda.jit(device=True)
def tree(shared, value, largest):
    """The largest of all threads' values, or their sum, for each thread of the block."""
    thread = cuda.threadIdx.x
    shared[thread] = value
    cuda.syncthreads()
    width = BLOCK // 2
    while width > 0:
        if thread < width:
            other = shared[thread + width]
            shared[thread] = max(shared[thread], other) if largest else shared[thread] + other
        cuda.syncthreads()
        width //= 2
    result = shared[0]
    # Nobody stores into the array for the next tree before all have read.
    cuda.syncthreads()
    return result


@cuda.jit
def softmax(input, output, N):
    shared = cuda.shared.array(BLOCK, float32)
    row, thread = cuda.blockIdx.x, cuda.threadIdx.x

    largest = float32(-math.inf)
    for i in range(thread, N, BLOCK):
        largest = max(largest, input[row, i])
    largest = tree(shared, largest, True)

    total = float32(0)
    for i in range(thread, N, BLOCK):
        total += math.exp(input[row, i] - largest)
    total = tree(shared, total, False)

    for i in range(thread, N, BLOCK):
        output[row, i] = math.exp(input[row, i] - largest) / total


def solve(input, output, M, N):
    softmax[M, BLOCK](input, output, N)
