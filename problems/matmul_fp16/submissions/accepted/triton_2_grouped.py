# expect: accepted
#
# Larger tiles, and an order of them that uses the L2 cache: programs that run at the same time share rows of A and
# columns of B.

import torch
import triton
import triton.language as tl


@triton.jit
def tile_of(program, rows_of_tiles, columns_of_tiles, GROUP: tl.constexpr):
    """The tile of a program: GROUP rows of tiles are finished before the next ones begin."""
    group_size = GROUP * columns_of_tiles
    first_row = program // group_size * GROUP
    height = tl.minimum(rows_of_tiles - first_row, GROUP)
    within = program % group_size
    return first_row + within % height, within // height


@triton.jit
def multiply(A, B, C, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr):
    row, column = tile_of(tl.program_id(0), tl.cdiv(M, ROWS), tl.cdiv(K, COLUMNS), GROUP)
    rows = row * ROWS + tl.arange(0, ROWS)
    columns = column * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, STEP)
    a = A + (rows % M)[:, None] * N + steps[None, :]
    b = B + steps[:, None] * K + (columns % K)[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, N, STEP):
        left = tl.load(a, mask=steps[None, :] < N - start, other=0.0)
        right = tl.load(b, mask=steps[:, None] < N - start, other=0.0)
        total = tl.dot(left, right, total)
        a += STEP
        b += STEP * K
    inside = (rows[:, None] < M) & (columns[None, :] < K)
    tl.store(C + rows[:, None] * K + columns[None, :], total.to(tl.float16), mask=inside)


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    grid = lambda meta: (triton.cdiv(M, meta["ROWS"]) * triton.cdiv(K, meta["COLUMNS"]),)  # noqa: E731
    multiply[grid](A, B, C, M, N, K, ROWS=64, COLUMNS=64, STEP=32, GROUP=8, num_stages=1)
