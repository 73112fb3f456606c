# expect: accepted
#
# Strided matrix multiplication: tiles are loaded by the offsets of their elements in the storage.
#
# Shapes and strides lie on the device, so each block reads them. A tensor with one matrix has it in each product.

import cuda.tile as ct

TILE = 32


@ct.kernel
def matmul(out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, M, N, K):
    batch = ct.bid(2)
    rows = ct.bid(1) * TILE + ct.arange(TILE, dtype=ct.int32)[:, None]
    columns = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)[None, :]
    a_start = ct.where(ct.gather(a_shape, 0) == 1, 0, batch) * ct.gather(a_strides, 0)
    b_start = ct.where(ct.gather(b_shape, 0) == 1, 0, batch) * ct.gather(b_strides, 0)
    a_row, a_column = ct.gather(a_strides, 1), ct.gather(a_strides, 2)
    b_row, b_column = ct.gather(b_strides, 1), ct.gather(b_strides, 2)
    a_values, b_values = a_storage.get_raw_memory(), b_storage.get_raw_memory()

    total = ct.zeros((TILE, TILE), ct.float32)
    for step in range(ct.cdiv(N, TILE)):
        across = step * TILE + ct.arange(TILE, dtype=ct.int32)[None, :]
        down = step * TILE + ct.arange(TILE, dtype=ct.int32)[:, None]
        a = a_values.load_offset(a_start + rows * a_row + across * a_column, mask=(rows < M) & (across < N))
        b = b_values.load_offset(b_start + down * b_row + columns * b_column, mask=(down < N) & (columns < K))
        total = ct.mma(a, b, total)

    start = batch * ct.gather(out_strides, 0)
    offsets = start + rows * ct.gather(out_strides, 1) + columns * ct.gather(out_strides, 2)
    out.get_raw_memory().store_offset(offsets, total, mask=(rows < M) & (columns < K))


def solve(out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, BATCH, M, N, K):
    grid = (ct.cdiv(K, TILE), ct.cdiv(M, TILE), BATCH)
    arguments = (out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, M, N, K)
    ct.launch(0, grid, matmul, arguments)
