"""Conway's Game of Life: one generation on a grid whose edges meet."""

from grader.problem import Cost, Problem, array, ceil_div, exact, integers, module_of, out, size, u8

problem = Problem(
    title="Game of Life",
    difficulty="easy",
    tags=("stencil", "bytes", "shared memory", "vector loads", "memory bound"),
    kernel="life_kernel",
    params=dict(
        cells=array(u8, "H", "W", values=integers(0, 1)),
        next=out(u8, "H", "W"),
        H=size(1, 32768),
        W=size(1, 32768),
    ),
    constants=dict(COLUMNS=32, ROWS=8, EACH=1),
    # Half of the cells live, few of them do, or all of a row.
    gates=exact(),
    baseline="accepted/2_shared_tile.cu",
    benchmarks=[dict(H=16384, W=16384), dict(H=4096, W=4096), dict(H=8191, W=8193)],
)


@problem.reference
def reference(cells):
    xp = module_of(cells)
    beside = cells + xp.roll(cells, 1, axis=1) + xp.roll(cells, -1, axis=1)
    living = beside + xp.roll(beside, 1, axis=0) + xp.roll(beside, -1, axis=0) - cells
    return (living == 3) | ((living == 2) & (cells == 1))


@problem.solve
def solve(launch, cells, next, H, W):
    columns, rows, each = launch.constant("COLUMNS"), launch.constant("ROWS"), launch.constant("EACH")
    launch(
        grid=(ceil_div(W, columns * each), ceil_div(H, rows)),
        block=(columns, rows),
        arguments=(cells, next, H, W),
    )


@problem.cost
def cost(H, W):
    # Eight neighbours to add up, and a rule.
    return Cost(flops=10 * H * W, bytes=2 * H * W)
