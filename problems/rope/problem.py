"""Rotary position embedding: each pair of a head's elements turned by an angle that depends on the token's position."""

import numpy as np

from grader.problem import Cost, Problem, array, below, ceil_div, f32, i32, out, scaled, size

problem = Problem(
    title="Rotary embedding",
    difficulty="easy",
    tags=("transformer", "elementwise", "indexing", "memory bound"),
    kernel="rope_kernel",
    params=dict(
        input=array(f32, "T", "HEADS", "2 * HALF"),
        cosines=array(f32, "LENGTH", "HALF"),
        sines=array(f32, "LENGTH", "HALF"),
        positions=array(i32, "T", values=below("LENGTH")),
        output=out(f32, "T", "HEADS", "2 * HALF"),
        T=size(1, 65535),
        HEADS=size(1, 128),
        HALF=size(1, 128),
        LENGTH=size(16, 65535),
    ),
    constants=dict(BLOCK=256),
    # Each element is a sum of two products.
    gates=scaled(terms=2, families=("normal", "wide", "opposed", "constant")),
    baseline="accepted/2_four_pairs.cu",
    benchmarks=[
        dict(T=4096, HEADS=32, HALF=64, LENGTH=4096),
        dict(T=2048, HEADS=8, HALF=128, LENGTH=8192),
        dict(T=3001, HEADS=17, HALF=47, LENGTH=5000),
    ],
)


def turned(input, cosines, sines, positions, HALF):
    c, s = cosines[positions][:, None, :], sines[positions][:, None, :]
    first, second = input[..., :HALF], input[..., HALF:]
    return np.concatenate([first * c - second * s, second * c + first * s], axis=2)


@problem.reference
def reference(input, cosines, sines, positions, HALF):
    return turned(input, cosines, sines, positions, HALF)


@problem.scale
def scale(input, cosines, sines, positions, HALF):
    c, s = abs(cosines[positions])[:, None, :], abs(sines[positions])[:, None, :]
    first, second = abs(input[..., :HALF]), abs(input[..., HALF:])
    return np.concatenate([first * c + second * s, second * c + first * s], axis=2)


@problem.solve
def solve(launch, input, cosines, sines, positions, output, T, HEADS, HALF, LENGTH):
    block = launch.constant("BLOCK")
    launch(
        grid=ceil_div(T * HEADS * HALF, block),
        block=block,
        arguments=(input, cosines, sines, positions, output, T, HEADS, HALF, LENGTH),
    )


@problem.cost
def cost(T, HEADS, HALF, LENGTH):
    # Four products and two sums for each pair.
    return Cost(flops=6 * T * HEADS * HALF, bytes=4 * (4 * T * HEADS * HALF + 2 * LENGTH * HALF + T))
