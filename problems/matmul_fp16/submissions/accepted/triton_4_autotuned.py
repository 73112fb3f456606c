# expect: accepted
#
# The pipelined kernel in several shapes, of which the autotuner takes the fastest for each size.
#
# The first ones suit matrices of 4096 and more; the last ones are for small matrices, whose few large tiles would leave
# most of the GPU idle. A shape that needs more shared memory than a block may have is left out.

import torch
import triton
import triton.language as tl


def shape(rows, columns, step, num_stages, num_warps):
    blocks = {"ROWS": rows, "COLUMNS": columns, "STEP": step, "GROUP": 8}
    return triton.Config(blocks, num_stages=num_stages, num_warps=num_warps)


SHAPES = [
    shape(128, 128, 64, num_stages=3, num_warps=8),
    shape(128, 256, 64, num_stages=3, num_warps=8),
    shape(256, 128, 64, num_stages=3, num_warps=8),
    shape(128, 256, 64, num_stages=4, num_warps=8),
    shape(128, 128, 64, num_stages=4, num_warps=4),
    shape(128, 64, 64, num_stages=4, num_warps=4),
    shape(64, 64, 64, num_stages=4, num_warps=4),
    shape(64, 32, 64, num_stages=5, num_warps=2),
]


def that_fit(configs, arguments, **more):
    """The shapes whose tiles of all stages have room in the shared memory of a block."""
    properties = torch.cuda.get_device_properties(arguments["A"].device)
    most = properties.shared_memory_per_block_optin

    def bytes_of(config):
        blocks = config.kwargs
        return 2 * blocks["STEP"] * (blocks["ROWS"] + blocks["COLUMNS"]) * config.num_stages

    return [config for config in configs if bytes_of(config) <= most]


@triton.jit
def tile_of(program, rows_of_tiles, columns_of_tiles, GROUP: tl.constexpr):
    """The tile of a program: GROUP rows of tiles are finished before the next ones begin."""
    group_size = GROUP * columns_of_tiles
    first_row = program // group_size * GROUP
    height = tl.minimum(rows_of_tiles - first_row, GROUP)
    within = program % group_size
    return first_row + within % height, within // height


@triton.autotune(configs=SHAPES, key=["M", "N", "K"], prune_configs_by={"early_config_prune": that_fit})
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
    multiply[grid](A, B, C, M, N, K)
