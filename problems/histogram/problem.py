"""Histogram: how often each number occurs."""

import numpy as np

from grader.problem import Cost, Problem, array, below, ceil_div, exact, i32, out, size

problem = Problem(
    title="Histogram",
    difficulty="medium",
    tags=("atomics", "shared memory", "memory bound"),
    kernel="histogram_kernel",
    params=dict(
        input=array(i32, "N", values=below("BINS")),
        histogram=out(i32, "BINS"),
        N=size(1, 100_000_000),
        BINS=size(1, 4096),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/3_runs_in_registers.cu",
    benchmarks=[
        dict(N=16_777_216, BINS=256),
        dict(N=1_000_003, BINS=4096),
    ],
)


@problem.reference
def reference(input, BINS):
    return np.bincount(input, minlength=BINS)


@problem.solve
def solve(launch, input, histogram, N, BINS):
    block = launch.constant("BLOCK")
    launch.memset(histogram, 0)
    # At most 1024 blocks: a longer input needs a grid-stride loop.
    launch(grid=min(ceil_div(N, block), 1024), block=block, arguments=(input, histogram, N, BINS))


@problem.cost
def cost(N, BINS):
    return Cost(flops=N, bytes=4 * N + 4 * BINS)
