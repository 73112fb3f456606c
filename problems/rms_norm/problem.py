"""RMS norm of every row."""

import numpy as np

from grader.problem import Cost, Problem, array, f32, out, scaled, size

EPSILON = 1e-5

problem = Problem(
    title="RMS norm",
    difficulty="easy",
    tags=("reduction", "warp shuffle", "memory bound"),
    kernel="rms_norm_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        weight=array(f32, "N"),
        output=out(f32, "M", "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "small", "constant")),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[dict(M=4096, N=1024), dict(M=65535, N=256), dict(M=2048, N=12_288)],
)


@problem.reference
def reference(input, weight):
    return input / np.sqrt((input**2).mean(axis=1, keepdims=True) + EPSILON) * weight


@problem.scale
def scale(input, weight):
    # The squares are positive, so that their sum loses no digits, and neither does anything that follows.
    return abs(reference(input, weight))


@problem.solve
def solve(launch, input, weight, output, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, weight, output, M, N))


@problem.cost
def cost(M, N):
    # A multiplication and an addition for the sum, two multiplications for the result.
    return Cost(flops=4 * M * N, bytes=8 * M * N + 4 * N)
