import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, N, STEP):
        inner = start + steps
        left = tl.load(a + rows[:, None] * N + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < N), other=0.0)
        right = tl.load(b + inner[:, None] * K + columns[None, :], mask=(inner[:, None] < N) & (columns[None, :] < K), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + rows[:, None] * K + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < K))


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    grid = (triton.cdiv(M, 32), triton.cdiv(K, 32))
    multiply[grid](A, B, C, M, N, K, ROWS=32, COLUMNS=32, STEP=32)
