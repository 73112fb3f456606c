"""Exclusive scan: what the elements before each one of a long array add up to."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, integers, out, size

problem = Problem(
    title="Exclusive scan of one array",
    difficulty="hard",
    tags=("scan", "look-back", "host loop", "memory bound"),
    kernel="exclusive_scan_kernel",
    params=dict(
        # The sum of 50 million of these fits an int.
        input=array(i32, "N", values=integers(-40, 40)),
        output=out(i32, "N"),
        N=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    # The longest arrays are "spread": near -40 each, so that their sums need more bits than a float has.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_4_a_line_for_each_tile.cu",
    # More than 2,048 blocks of 2,048 elements: two levels of these are not enough.
    always=[at("spread", N=4_200_001)],
    benchmarks=[dict(N=50_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)


@problem.reference
def reference(input):
    return np.cumsum(input) - input


@problem.solve
def solve(launch, input, output, N):
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=8 * N)
