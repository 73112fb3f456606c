# expect: accepted
#
# Strided matrix multiplication in numba: one thread for each element.
#
# The kernel sees each storage as one long array, and computes places from the strides, which lie on the device too. A
# tensor with one matrix takes part in every product: its first stride does not count.

from numba import cuda, float32

TILE = 16


@cuda.jit(device=True)
def start_of(batch, shape, strides):
    return batch * strides[0] if shape[0] > 1 else 0


@cuda.jit
def multiply(out, out_strides, a, a_shape, a_strides, b, b_shape, b_strides, M, N, K):
    column, row = cuda.grid(2)
    batch = cuda.blockIdx.z
    if row < M and column < K:
        first = start_of(batch, a_shape, a_strides) + row * a_strides[1]
        second = start_of(batch, b_shape, b_strides) + column * b_strides[2]
        total = float32(0)
        for k in range(N):
            total += a[first + k * a_strides[2]] * b[second + k * b_strides[1]]
        out[batch * out_strides[0] + row * out_strides[1] + column * out_strides[2]] = total


def solve(out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, BATCH, M, N, K):
    grid = (K + TILE - 1) // TILE, (M + TILE - 1) // TILE, BATCH
    a = a_storage.ravel(), a_shape, a_strides
    b = b_storage.ravel(), b_shape, b_strides
    multiply[grid, (TILE, TILE, 1)](out.ravel(), out_strides, *a, *b, M, N, K)
