# expect: accepted
#
# A program computes a tile of C: it goes along the rows of A and the columns of B, some steps at a time.
#
# tl.dot() takes TF32 for floats unless it is told otherwise; "ieee" multiplies floats as they are.

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(A, B, C, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, N, STEP):
        inner = start + tl.arange(0, STEP)
        # Beyond the end there are zeros, which add nothing.
        in_a = (rows[:, None] < M) & (inner[None, :] < N)
        in_b = (inner[:, None] < N) & (columns[None, :] < K)
        left = tl.load(A + rows[:, None] * N + inner[None, :], mask=in_a, other=0.0)
        right = tl.load(B + inner[:, None] * K + columns[None, :], mask=in_b, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    in_c = (rows[:, None] < M) & (columns[None, :] < K)
    tl.store(C + rows[:, None] * K + columns[None, :], total, mask=in_c)


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    TILE = 32
    multiply[(triton.cdiv(M, TILE), triton.cdiv(K, TILE))](A, B, C, M, N, K, ROWS=TILE, COLUMNS=TILE, STEP=32)
