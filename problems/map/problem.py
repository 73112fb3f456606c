"""Map: the logistic function of every element."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, elementwise, f32, out, size

problem = Problem(
    title="Map",
    difficulty="easy",
    tags=("elementwise", "memory bound"),
    kernel="map_kernel",
    params=dict(input=array(f32, "N"), output=out(f32, "N"), N=size(1, 100_000_000)),
    constants=dict(BLOCK=256),
    gates=elementwise(families=("normal", "wide", "special", "overflow")),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=50_000_000)],
)


@problem.reference
def reference(input):
    return 1.0 / (1.0 + np.exp(-input))


@problem.solve
def solve(launch, input, output, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(input, output, N))


@problem.cost
def cost(N):
    # A negation, an exponential, an addition and a division.
    return Cost(flops=4 * N, bytes=8 * N)
