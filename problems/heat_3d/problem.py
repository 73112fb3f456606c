"""Heat in three dimensions: one explicit step of time in a box whose faces keep their temperature."""

from grader.problem import Cost, Problem, array, ceil_div, f32, out, scalar, scaled, size

problem = Problem(
    title="Heat equation in 3D",
    difficulty="medium",
    tags=("stencil", "register blocking", "vector loads", "memory bound"),
    kernel="heat_kernel",
    params=dict(
        heat=array(f32, "D", "H", "W"),
        next=out(f32, "D", "H", "W"),
        # Beyond 1/6 the steps of this scheme grow without limit.
        alpha=scalar(f32, 0.01, 0.166),
        D=size(1, 1024),
        H=size(1, 1024),
        W=size(1, 1024),
    ),
    constants=dict(COLUMNS=32, ROWS=8, EACH=1, PLANES=1),
    # Six neighbours and the cell.
    gates=scaled(terms=7, families=("normal", "wide", "offset", "peak")),
    baseline="accepted/2_planes_in_registers.cu",
    benchmarks=[dict(D=480, H=480, W=480), dict(D=256, H=256, W=256), dict(D=127, H=509, W=1021)],
)

INNER = (slice(1, -1),) * 3
BESIDE = [
    (slice(0, -2), slice(1, -1), slice(1, -1)),
    (slice(2, None), slice(1, -1), slice(1, -1)),
    (slice(1, -1), slice(0, -2), slice(1, -1)),
    (slice(1, -1), slice(2, None), slice(1, -1)),
    (slice(1, -1), slice(1, -1), slice(0, -2)),
    (slice(1, -1), slice(1, -1), slice(2, None)),
]
"""Where the six neighbours of the inner cells are."""


@problem.reference
def reference(heat, alpha):
    next = heat.copy()
    next[INNER] += alpha * (sum(heat[place] for place in BESIDE) - 6 * heat[INNER])
    return next


@problem.scale
def scale(heat, alpha):
    # Cells of the faces are copied: there is nothing to round.
    size = abs(heat)
    scale = 0 * heat
    scale[INNER] = size[INNER] + alpha * (sum(size[place] for place in BESIDE) + 6 * size[INNER])
    return scale


@problem.solve
def solve(launch, heat, next, alpha, D, H, W):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    each, planes = launch.constant("EACH"), launch.constant("PLANES")
    launch(
        grid=(ceil_div(W, columns * each), ceil_div(H, rows), ceil_div(D, planes)),
        block=(columns, rows),
        arguments=(heat, next, alpha, D, H, W),
    )


@problem.cost
def cost(D, H, W):
    # Six additions, and two products that are added.
    return Cost(flops=10 * D * H * W, bytes=8 * D * H * W)
