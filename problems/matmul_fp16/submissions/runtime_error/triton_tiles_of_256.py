# expect: runtime_error
#
# Tiles of 256 by 256 in four stages, which need more shared memory than a block may have: Triton refuses the launch.

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(A, B, C, M, N, K, TILE: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, N, STEP):
        inner = start + tl.arange(0, STEP)
        in_a = (rows[:, None] < M) & (inner[None, :] < N)
        in_b = (inner[:, None] < N) & (columns[None, :] < K)
        left = tl.load(A + rows[:, None] * N + inner[None, :], mask=in_a, other=0.0)
        right = tl.load(B + inner[:, None] * K + columns[None, :], mask=in_b, other=0.0)
        total = tl.dot(left, right, total)
    in_c = (rows[:, None] < M) & (columns[None, :] < K)
    tl.store(C + rows[:, None] * K + columns[None, :], total.to(tl.float16), mask=in_c)


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    TILE = 256
    grid = (triton.cdiv(M, TILE), triton.cdiv(K, TILE))
    multiply[grid](A, B, C, M, N, K, TILE=TILE, STEP=64, num_warps=8, num_stages=4)  # <- here
