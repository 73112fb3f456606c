# expect: accepted
#
# Tensor descriptors in place of pointers: they know the shape, read zeros beyond it, and on newer GPUs have the memory
# engine copy whole tiles. With num_stages=3 the tiles of later steps are on their way while tensor cores multiply.
#
# Rows have to start at multiples of 16 bytes. Where they do not, the same loop runs on pointers with masks.

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
def multiply_descriptors(
    A, B, C, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr
):
    row, column = tile_of(tl.program_id(0), tl.cdiv(M, ROWS), tl.cdiv(K, COLUMNS), GROUP)
    a = tl.make_tensor_descriptor(A, shape=[M, N], strides=[N, 1], block_shape=[ROWS, STEP])
    b = tl.make_tensor_descriptor(B, shape=[N, K], strides=[K, 1], block_shape=[STEP, COLUMNS])
    c = tl.make_tensor_descriptor(C, shape=[M, K], strides=[K, 1], block_shape=[ROWS, COLUMNS])
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, N, STEP):
        left = a.load([row * ROWS, start])
        right = b.load([start, column * COLUMNS])
        total = tl.dot(left, right, total)
    c.store([row * ROWS, column * COLUMNS], total.to(tl.float16))


@triton.jit
def multiply_pointers(
    A, B, C, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr
):
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


def allocate(size: int, alignment: int, stream: int | None):
    return torch.empty(size, dtype=torch.int8, device="cuda")


def solve(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor, M: int, N: int, K: int):
    # Descriptors that a kernel makes lie in memory that Triton asks for.
    triton.set_allocator(allocate)
    multiply = multiply_descriptors if N % 8 == 0 and K % 8 == 0 else multiply_pointers
    grid = lambda meta: (triton.cdiv(M, meta["ROWS"]) * triton.cdiv(K, meta["COLUMNS"]),)  # noqa: E731
    multiply[grid](A, B, C, M, N, K, ROWS=128, COLUMNS=128, STEP=64, GROUP=8, num_warps=8, num_stages=3)
