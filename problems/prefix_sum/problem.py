"""Prefix sum: the running totals of every row."""

import numpy as np

from grader.problem import Cost, Problem, array, f32, out, size, total

problem = Problem(
    title="Prefix sum of rows",
    difficulty="medium",
    tags=("scan", "shared memory", "warp shuffle", "memory bound"),
    kernel="prefix_sum_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        output=out(f32, "M", "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    # Each element is bound by its own terms, at most N of them. From left to right, its error is that of the element
    # before and one rounding more, so the errors of a row are not independent.
    gates=total(terms="N", independent=False),
    baseline="accepted/4_several_elements.cu",
    benchmarks=[dict(M=4096, N=4096), dict(M=65535, N=256), dict(M=128, N=500_009)],
)


@problem.reference
def reference(input):
    return np.cumsum(input, axis=1)


@problem.solve
def solve(launch, input, output, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, output, M, N))


@problem.cost
def cost(M, N):
    return Cost(flops=M * N, bytes=8 * M * N)
