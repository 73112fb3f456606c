"""Times numba-cuda's simulator on the naive matmul; run by emulator.py in a process of its own.

Usage: python numba_simulator.py N BLOCKS. Runs BLOCKS of the grid's blocks of 16 × 16 threads and prints the seconds.
"""

import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda


@cuda.jit
def matmul(a, b, c):
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    col = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < c.shape[0] and col < c.shape[1]:
        total = np.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, col]
        c[row, col] = total


def main() -> None:
    size, blocks = int(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    c = np.zeros((size, size), np.float32)
    start = time.perf_counter()
    matmul[(blocks, 1), (16, 16)](a, b, c)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
