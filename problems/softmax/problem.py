"""Softmax of every row."""

import numpy as np

from grader.problem import Cost, Problem, array, at, f32, out, scaled, size

problem = Problem(
    title="Softmax",
    difficulty="medium",
    tags=("reduction", "shared memory", "warp shuffle", "memory bound", "accuracy"),
    kernel="softmax_kernel",
    params=dict(input=array(f32, "M", "N"), output=out(f32, "M", "N"), M=size(1, 65535), N=size(1, 1_000_000)),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "offset", "negative", "constant", "peak")),
    # Large elements far behind in long rows.
    always=[at("peak", M=3, N=100_003)],
    baseline="accepted/3_online.cu",
    benchmarks=[dict(M=4096, N=1024), dict(M=65535, N=256), dict(M=512, N=50_257)],
)


def exponentials(input):
    """The distance of each element from its row's largest, and the exponentials divided by their sum."""
    distance = input.max(axis=1, keepdims=True) - input
    e = np.exp(-distance)
    return distance, e / e.sum(axis=1, keepdims=True)


@problem.reference
def reference(input):
    return exponentials(input)[1]


@problem.scale
def scale(input):
    # exp(-d) magnifies the rounding of d by d; the sum has the errors of all its terms, as much as each is part of it.
    distance, result = exponentials(input)
    return result * (1.0 + distance + (result * distance).sum(axis=1, keepdims=True))


@problem.solve
def solve(launch, input, output, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, output, M, N))


@problem.cost
def cost(M, N):
    # Comparison, subtraction, exponential, addition and division.
    return Cost(flops=5 * M * N, bytes=8 * M * N)
