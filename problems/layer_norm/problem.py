"""Layer normalisation of every row."""

import numpy as np

from grader.problem import Cost, Problem, array, f32, out, scaled, size

EPSILON = 1e-5

problem = Problem(
    title="Layer norm",
    difficulty="medium",
    tags=("reduction", "warp shuffle", "memory bound", "accuracy"),
    kernel="layer_norm_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        weight=array(f32, "N"),
        bias=array(f32, "N"),
        output=out(f32, "M", "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "small", "offset", "constant")),
    baseline="accepted/3_warp_shuffles.cu",
    benchmarks=[dict(M=4096, N=1024), dict(M=65535, N=256), dict(M=2048, N=12_289)],
)


def inverse_deviation(input):
    return 1.0 / np.sqrt(input.var(axis=1, keepdims=True) + EPSILON)


@problem.reference
def reference(input, weight, bias):
    return (input - input.mean(axis=1, keepdims=True)) * inverse_deviation(input) * weight + bias


@problem.scale
def scale(input, weight, bias):
    # The mean has the rounding errors of a sum of magnitudes; they pass through the division.
    size = abs(input) + abs(input).mean(axis=1, keepdims=True)
    return size * inverse_deviation(input) * abs(weight) + abs(bias)


@problem.solve
def solve(launch, input, weight, bias, output, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, weight, bias, output, M, N))


@problem.cost
def cost(M, N):
    # Two sums, a difference and a square for them, and four operations for the result.
    return Cost(flops=8 * M * N, bytes=8 * M * N + 8 * N)
