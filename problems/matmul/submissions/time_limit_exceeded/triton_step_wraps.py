# expect: time_limit_exceeded
#
# A while loop that never ends: the remainder, which is for the offsets of loads, is taken of the counter.

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(A, B, C, M, N, K, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    start = 0
    while start < N:
        inner = start + tl.arange(0, TILE)
        in_a = (rows[:, None] < M) & (inner[None, :] < N)
        in_b = (inner[:, None] < N) & (columns[None, :] < K)
        left = tl.load(A + rows[:, None] * N + inner[None, :], mask=in_a, other=0.0)
        right = tl.load(B + inner[:, None] * K + columns[None, :], mask=in_b, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
        start = (start + TILE) % N
    in_c = (rows[:, None] < M) & (columns[None, :] < K)
    tl.store(C + rows[:, None] * K + columns[None, :], total, mask=in_c)


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    TILE = 32
    multiply[(triton.cdiv(M, TILE), triton.cdiv(K, TILE))](A, B, C, M, N, K, TILE=TILE)
