# expect: runtime_error out_of_bounds
#
# Map in numba without a bounds check.
#
# The student thought: "arrays in Python know their length". On the GPU nobody asks for it, and the last block has
# threads for elements that do not exist. Right only for multiples of the block size.

import math

from numba import cuda, float32

BLOCK = 256


@cuda.jit
def apply(input, output):
    i = cuda.grid(1)
    output[i] = float32(1) / (float32(1) + math.exp(-input[i]))  # <- here


def solve(input, output, N):
    apply[(N + BLOCK - 1) // BLOCK, BLOCK](input, output)
