# expect: accepted
#
# Programs that stay: as many as the GPU has processors, each of which takes tile after tile. The first slabs of the
# next tile are loaded while the last one is stored. Of several shapes the autotuner takes the fastest for each size.
#
# Bands of twelve rows of tiles keep in the L2 cache what programs of one time read. Descriptors need rows that start at
# multiples of 16 bytes. Where they do not, the same loop runs on pointers with masks.

import torch
import triton
import triton.language as tl


def shape(rows, columns, num_stages, num_warps):
    blocks = {"ROWS": rows, "COLUMNS": columns, "STEP": 64, "GROUP": 12}
    return triton.Config(blocks, num_stages=num_stages, num_warps=num_warps)


SHAPES = [
    shape(128, 256, num_stages=3, num_warps=8),
    shape(128, 128, num_stages=4, num_warps=8),
    shape(128, 64, num_stages=4, num_warps=4),
    shape(64, 32, num_stages=5, num_warps=2),
]


def that_fit(configs, arguments, **more):
    """The shapes whose tiles of all stages, and the tile of the result, have room in the shared memory of a block."""
    properties = torch.cuda.get_device_properties(arguments["A"].device)
    most = properties.shared_memory_per_block_optin

    def bytes_of(config):
        rows, columns, step = (config.kwargs[name] for name in ("ROWS", "COLUMNS", "STEP"))
        return 2 * (step * (rows + columns) * config.num_stages + rows * columns)

    return [config for config in configs if bytes_of(config) <= most]


tuned = triton.autotune(configs=SHAPES, key=["M", "N", "K"], prune_configs_by={"early_config_prune": that_fit})


@triton.jit
def tile_of(turn, rows_of_tiles, columns_of_tiles, GROUP: tl.constexpr):
    """The tile of a turn: GROUP rows of tiles are finished before the next ones begin."""
    group_size = GROUP * columns_of_tiles
    first_row = turn // group_size * GROUP
    height = tl.minimum(rows_of_tiles - first_row, GROUP)
    within = turn % group_size
    return first_row + within % height, within // height


@tuned
@triton.jit
def multiply_descriptors(
    A,
    B,
    C,
    M,
    N,
    K,
    PROGRAMS: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STEP: tl.constexpr,
    GROUP: tl.constexpr,
):
    a = tl.make_tensor_descriptor(A, shape=[M, N], strides=[N, 1], block_shape=[ROWS, STEP])
    b = tl.make_tensor_descriptor(B, shape=[N, K], strides=[K, 1], block_shape=[STEP, COLUMNS])
    c = tl.make_tensor_descriptor(C, shape=[M, K], strides=[K, 1], block_shape=[ROWS, COLUMNS])
    rows_of_tiles, columns_of_tiles = tl.cdiv(M, ROWS), tl.cdiv(K, COLUMNS)
    for turn in tl.range(tl.program_id(0), rows_of_tiles * columns_of_tiles, PROGRAMS):
        row, column = tile_of(turn, rows_of_tiles, columns_of_tiles, GROUP)
        total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
        for step in range(tl.cdiv(N, STEP)):
            total = tl.dot(a.load([row * ROWS, step * STEP]), b.load([step * STEP, column * COLUMNS]), total)
        c.store([row * ROWS, column * COLUMNS], total.to(tl.float16))


@tuned
@triton.jit
def multiply_pointers(
    A,
    B,
    C,
    M,
    N,
    K,
    PROGRAMS: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    STEP: tl.constexpr,
    GROUP: tl.constexpr,
):
    rows_of_tiles, columns_of_tiles = tl.cdiv(M, ROWS), tl.cdiv(K, COLUMNS)
    steps = tl.arange(0, STEP)
    for turn in tl.range(tl.program_id(0), rows_of_tiles * columns_of_tiles, PROGRAMS):
        row, column = tile_of(turn, rows_of_tiles, columns_of_tiles, GROUP)
        rows = row * ROWS + tl.arange(0, ROWS)
        columns = column * COLUMNS + tl.arange(0, COLUMNS)
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
    programs = torch.cuda.get_device_properties(A.device).multi_processor_count
    multiply = multiply_descriptors if N % 8 == 0 and K % 8 == 0 else multiply_pointers
    tiles = lambda meta: triton.cdiv(M, meta["ROWS"]) * triton.cdiv(K, meta["COLUMNS"])  # noqa: E731
    multiply[lambda meta: (min(programs, tiles(meta)),)](A, B, C, M, N, K, PROGRAMS=programs)
