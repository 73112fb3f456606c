# expect: accepted
#
# Prefix sum in numba: a block for each row, which goes through it in pieces of one element a thread.
#
# In a piece each step adds what lies 1, 2, 4, ... elements to the left. What comes before the piece is carried along.

from numba import cuda, float32

BLOCK = 256


@cuda.jit
def scan(input, output, N):
    shared = cuda.shared.array(BLOCK, float32)
    row, thread = cuda.blockIdx.x, cuda.threadIdx.x
    before = float32(0)
    for start in range(0, N, BLOCK):
        i = start + thread
        shared[thread] = input[row, i] if i < N else float32(0)
        cuda.syncthreads()
        distance = 1
        while distance < BLOCK:
            left = shared[thread - distance] if thread >= distance else float32(0)
            # All have read before anyone stores, and all have stored before the next step reads.
            cuda.syncthreads()
            shared[thread] += left
            cuda.syncthreads()
            distance *= 2
        if i < N:
            output[row, i] = before + shared[thread]
        before += shared[BLOCK - 1]
        cuda.syncthreads()


def solve(input, output, M, N):
    scan[M, BLOCK](input, output, N)
