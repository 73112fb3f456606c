# expect: accepted
#
# Transpose in numba: a tile in shared memory.
#
# Both the reads and the writes of a warp are along rows; the turn happens in shared memory. The tile has one column
# more than is used, so that the elements of a column lie in different banks.

from numba import cuda, float32

TILE = 32
WIDTH = TILE + 1
ROWS = 8


@cuda.jit
def transpose(input, output, M, N):
    tile = cuda.shared.array((TILE, WIDTH), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    for row in range(y, TILE, ROWS):
        if top + row < M and left + x < N:
            tile[row, x] = input[top + row, left + x]
    cuda.syncthreads()
    for row in range(y, TILE, ROWS):
        if left + row < N and top + x < M:
            output[left + row, top + x] = tile[x, row]


def solve(input, output, M, N):
    grid = (N + TILE - 1) // TILE, (M + TILE - 1) // TILE
    transpose[grid, (TILE, ROWS)](input, output, M, N)
