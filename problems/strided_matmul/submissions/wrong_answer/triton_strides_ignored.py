# expect: wrong_answer wrong_value
#
# The matrices are taken for contiguous ones: no stride is read.

import triton
import triton.language as tl


@triton.jit
def multiply(out, a, b, a_step, b_step, M, N, K, TILE: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(0) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, N, TILE):
        inner = start + tl.arange(0, TILE)
        in_a = (rows[:, None] < M) & (inner[None, :] < N)
        in_b = (inner[:, None] < N) & (columns[None, :] < K)
        left = tl.load(a + batch * M * N + rows[:, None] * N + inner[None, :], mask=in_a, other=0.0)
        right = tl.load(b + batch * N * K + inner[:, None] * K + columns[None, :], mask=in_b, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    inside = (rows[:, None] < M) & (columns[None, :] < K)
    tl.store(out + batch * M * K + rows[:, None] * K + columns[None, :], total, mask=inside)


def solve(out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, BATCH, M, N, K):
    TILE = 32
    grid = (triton.cdiv(K, TILE), triton.cdiv(M, TILE), BATCH)
    multiply[grid](out, a_storage, b_storage, a_strides, b_strides, M, N, K, TILE=TILE)
