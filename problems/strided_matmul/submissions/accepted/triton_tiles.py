# expect: accepted
#
# Products of strided matrices, tile by tile: each program reads the strides, and computes addresses from them.
#
# A tensor with one matrix for all products is broadcast: its batch counts as if its stride were 0.

import triton
import triton.language as tl


@triton.jit
def stride_of(strides, shape, axis):
    stride = tl.load(strides + axis).to(tl.int64)
    return tl.where(tl.load(shape + axis) == 1, 0, stride)


@triton.jit
def multiply(
    out,
    out_strides,
    a,
    a_shape,
    a_strides,
    b,
    b_shape,
    b_strides,
    M,
    N,
    K,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STEP: tl.constexpr,
):
    batch = tl.program_id(2)
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    a += batch * stride_of(a_strides, a_shape, 0) + rows[:, None] * stride_of(a_strides, a_shape, 1)
    b += batch * stride_of(b_strides, b_shape, 0) + columns[None, :] * stride_of(b_strides, b_shape, 2)
    a_step, b_step = stride_of(a_strides, a_shape, 2), stride_of(b_strides, b_shape, 1)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, N, STEP):
        inner = start + tl.arange(0, STEP)
        left = tl.load(a + inner[None, :] * a_step, mask=(rows[:, None] < M) & (inner[None, :] < N), other=0.0)
        right = tl.load(b + inner[:, None] * b_step, mask=(inner[:, None] < N) & (columns[None, :] < K), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    out += batch * tl.load(out_strides).to(tl.int64)
    out += rows[:, None] * tl.load(out_strides + 1).to(tl.int64) + columns[None, :] * tl.load(out_strides + 2).to(
        tl.int64
    )
    tl.store(out, total, mask=(rows[:, None] < M) & (columns[None, :] < K))


def solve(out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, BATCH, M, N, K):
    TILE = 32
    multiply[(triton.cdiv(K, TILE), triton.cdiv(M, TILE), BATCH)](
        out,
        out_strides,
        a_storage,
        a_shape,
        a_strides,
        b_storage,
        b_shape,
        b_strides,
        M,
        N,
        K,
        ROWS=TILE,
        COLUMNS=TILE,
        STEP=32,
    )
