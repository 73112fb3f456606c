"""Segmented scan: running totals that start again where a segment does."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, integers, module_of, out, size

problem = Problem(
    title="Segmented scan",
    difficulty="hard",
    tags=("scan", "look-back", "host loop", "memory bound"),
    kernel="segmented_scan_kernel",
    params=dict(
        # The sum of 40 million of these fits an int.
        input=array(i32, "N", values=integers(-40, 40)),
        heads=array(i32, "N"),
        output=out(i32, "N"),
        N=size(1, 40_000_000),
    ),
    constants=dict(BLOCK=1024),
    # The longest arrays are "spread", where segments are longest.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_look_back.cu",
    # More than 2,048 blocks of 2,048 elements: two levels of these are not enough.
    always=[at("constant", N=4_200_001)],
    benchmarks=[dict(N=40_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)

EDGES = (32, 128, 256, 1024, 4096)
"""Lengths of segments that end where a warp's, a block's or a tile's share does."""


@problem.structure
def structure(draw, family, N):
    heads = np.zeros(N, int)
    if family == "special":
        # Segments that begin with pieces of a kernel, or one element beside them.
        heads[draw.one(0, 1) :: EDGES[draw.one(0, len(EDGES) - 1)]] = 1
    elif family == "constant":
        # One segment, or a second one somewhere.
        heads[draw.one(0, N - 1)] = draw.one(0, 1)
    else:
        # Lengths of 1 to 64 on average, or of 64 to 16384.
        length = 1 << (draw.one(0, 6) if family == "normal" else draw.one(6, 14))
        heads[draw.integers(0, length - 1, N) == 0] = 1
    return dict(heads=heads)


@problem.reference
def reference(input, heads):
    xp = module_of(heads)
    sums = xp.cumsum(input)
    starts = xp.concatenate([xp.zeros(1, int), xp.flatnonzero(heads)])[xp.cumsum(heads)]
    return sums - (sums - input)[starts]


@problem.solve
def solve(launch, input, heads, output, N):
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, heads, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=12 * N)
