"""Batch normalisation in training: every channel to mean 0 and variance 1 over the whole batch."""

import numpy as np

from grader.problem import Cost, Problem, array, f32, out, scaled, size

EPSILON = 1e-5

problem = Problem(
    title="Batch norm",
    difficulty="medium",
    tags=("reduction", "strided rows", "warp shuffle", "memory bound", "accuracy"),
    kernel="batch_norm_kernel",
    params=dict(
        input=array(f32, "B", "C", "L"),
        weight=array(f32, "C"),
        bias=array(f32, "C"),
        output=out(f32, "B", "C", "L"),
        mean=out(f32, "C"),
        variance=out(f32, "C"),
        B=size(1, 4096),
        C=size(1, 4096),
        L=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms=("B", "L"), families=("normal", "wide", "small", "offset")),
    baseline="accepted/2_shuffles.cu",
    benchmarks=[
        dict(B=64, C=256, L=3136),
        dict(B=256, C=512, L=196),
        dict(B=32, C=67, L=12_769),
    ],
)


@problem.reference
def reference(input, weight, bias):
    mean, variance = input.mean(axis=(0, 2)), input.var(axis=(0, 2))
    factor = weight / np.sqrt(variance + EPSILON)
    output = (input - mean[:, None]) * factor[:, None] + bias[:, None]
    return dict(output=output, mean=mean, variance=variance)


@problem.scale
def scale(input, weight, bias):
    # The mean has the rounding errors of a sum of magnitudes. They shift all distances from it, and pass through the
    # division.
    magnitude, variance = abs(input).mean(axis=(0, 2)), input.var(axis=(0, 2))
    factor = abs(weight) / np.sqrt(variance + EPSILON)
    output = (abs(input) + magnitude[:, None]) * factor[:, None] + abs(bias[:, None])
    # A mean that is off by d adds d squared to the variance.
    return dict(output=output, mean=magnitude, variance=variance + 2.0**-16 * magnitude**2)


@problem.solve
def solve(launch, input, weight, bias, output, mean, variance, B, C, L):
    arguments = (input, weight, bias, output, mean, variance, B, C, L)
    launch(grid=C, block=launch.constant("BLOCK"), arguments=arguments)


@problem.cost
def cost(B, C, L):
    # Two sums, a difference and a square for them, and two operations for the result.
    return Cost(flops=6 * B * C * L, bytes=8 * B * C * L + 16 * C)
