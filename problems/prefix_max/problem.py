"""Prefix maximum: the largest element so far, for each element of a long array."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, out, running_maximum, size

problem = Problem(
    title="Prefix maximum",
    difficulty="medium",
    tags=("scan", "look-back", "host loop", "memory bound"),
    kernel="prefix_max_kernel",
    params=dict(
        input=array(i32, "N"),
        output=out(i32, "N"),
        N=size(1, 100_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_look_back.cu",
    # More than 2,048 blocks of 2,048 elements: two levels of these are not enough.
    always=[at("normal", N=4_200_001)],
    benchmarks=[dict(N=50_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)

LEAST = -(2**31)


@problem.structure
def structure(draw, family, N):
    if family == "special":
        # All far below zero, with few new maxima, the last one near the end.
        input = draw.integers(LEAST, LEAST + 5, N)
        for place in (draw.one(0, N - 1), N - 1 - draw.one(0, min(N - 1, 40))):
            input[place] = draw.one(LEAST + 6, -1)
        # Whatever somebody starts with has to be no more than the first element.
        input[0] = LEAST
    elif family == "constant":
        # Never a new maximum, from anywhere below or above zero.
        input = draw.one(LEAST + N, 2**31 - 1) - np.arange(N) * draw.one(0, 1)
    elif family == "spread":
        input = draw.integers(LEAST, 2**31 - 1, N)
    else:
        # Rises all the time, so that every element may be the next maximum.
        input = np.cumsum(draw.integers(-9, 10, N)) + draw.one(-(10**9), 10**9)
    return dict(input=input)


@problem.reference
def reference(input):
    return running_maximum(input)


@problem.solve
def solve(launch, input, output, N):
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=8 * N)
