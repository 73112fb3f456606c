# expect: accepted
#
# Strided matrix multiplication: strides are what a layout is made of, so each storage becomes a tensor of its matrix.
#
# The shapes and strides lie in device memory, where only the kernel can read them. A tensor with one matrix gets the
# stride 0 for its batch. The tiles in shared memory are those of the plain product.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

TILE = 16


@cute.jit
def matrix(storage: cute.Tensor, strides: cute.Tensor, offset: cute.Int32, rows: cute.Int32, columns: cute.Int32):
    """The matrix that begins at an offset of a storage."""
    layout = cute.make_layout((rows, columns), stride=(strides[1], strides[2]))
    return cute.make_tensor(storage.iterator + offset, layout)


@cute.jit
def offset_of(batch: cute.Int32, shape: cute.Tensor, strides: cute.Tensor):
    offset = cutlass.Int32(0)
    if shape[0] > 1:
        offset = batch * strides[0]
    return offset


@cute.kernel
def multiply(
    out: cute.Tensor,
    out_strides: cute.Tensor,
    a_storage: cute.Tensor,
    a_shape: cute.Tensor,
    a_strides: cute.Tensor,
    b_storage: cute.Tensor,
    b_shape: cute.Tensor,
    b_strides: cute.Tensor,
    M: cute.Int32,
    N: cute.Int32,
    K: cute.Int32,
):
    x, y, _ = cute.arch.thread_idx()
    across, down, batch = cute.arch.block_idx()
    A = matrix(a_storage, a_strides, offset_of(batch, a_shape, a_strides), M, N)
    B = matrix(b_storage, b_strides, offset_of(batch, b_shape, b_strides), N, K)
    C = matrix(out, out_strides, batch * out_strides[0], M, K)
    memory = SmemAllocator()
    layout = cute.make_layout((TILE, TILE), stride=(TILE, 1))
    a = memory.allocate_tensor(cutlass.Float32, layout)
    b = memory.allocate_tensor(cutlass.Float32, layout)

    row = down * TILE + y
    column = across * TILE + x
    sum = cutlass.Float32(0.0)
    for first in range(0, N, TILE):
        a[y, x] = cutlass.Float32(0.0)
        if row < M and first + x < N:
            a[y, x] = A[row, first + x]
        b[y, x] = cutlass.Float32(0.0)
        if first + y < N and column < K:
            b[y, x] = B[first + y, column]
        cute.arch.sync_threads()
        for k in cutlass.range_constexpr(TILE):
            sum += a[y, k] * b[k, x]
        cute.arch.sync_threads()
    if row < M and column < K:
        C[row, column] = sum


@cute.jit
def solve(
    out: cute.Tensor,
    out_strides: cute.Tensor,
    a_storage: cute.Tensor,
    a_shape: cute.Tensor,
    a_strides: cute.Tensor,
    b_storage: cute.Tensor,
    b_shape: cute.Tensor,
    b_strides: cute.Tensor,
    BATCH: cute.Int32,
    M: cute.Int32,
    N: cute.Int32,
    K: cute.Int32,
):
    grid = (cute.ceil_div(K, TILE), cute.ceil_div(M, TILE), BATCH)
    flat = [cute.make_tensor(one.iterator, cute.make_layout(1)) for one in (out, a_storage, b_storage)]
    multiply(flat[0], out_strides, flat[1], a_shape, a_strides, flat[2], b_shape, b_strides, M, N, K).launch(
        grid=grid, block=(TILE, TILE, 1)
    )
