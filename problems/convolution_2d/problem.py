"""Two-dimensional convolution with zeros around the image."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="2D convolution",
    difficulty="medium",
    tags=("convolution", "shared memory", "tiling", "constant memory"),
    kernel="convolution_kernel",
    params=dict(
        input=array(f32, "H", "W"),
        weights=array(f32, "R", "S"),
        output=out(f32, "H", "W"),
        H=size(1, 8192),
        W=size(1, 8192),
        R=size(1, 31),
        S=size(1, 31),
    ),
    constants=dict(TILE=16),
    # Linear in input and in weights; up to R · S products in each sum, fewer at the edges.
    gates=contraction(terms=("R", "S")),
    baseline="accepted/3_shared_halo.cu",
    benchmarks=[
        dict(H=4096, W=4096, R=3, S=3),
        dict(H=2047, W=4095, R=7, S=7),
        dict(H=1024, W=2048, R=31, S=31),
    ],
)


@problem.reference
def reference(input, weights, H, W, R, S):
    # The image in the middle of zeros: output (y, x) starts at (y, x) of this array.
    padded = np.pad(input, ((R // 2, R - 1 - R // 2), (S // 2, S - 1 - S // 2)))
    output = np.zeros_like(input)
    for r in range(R):
        for s in range(S):
            output += weights[r, s] * padded[r : r + H, s : s + W]
    return output


@problem.solve
def solve(launch, input, weights, output, H, W, R, S):
    tile = launch.constant("TILE")
    launch(
        grid=(ceil_div(W, tile), ceil_div(H, tile)),
        block=(tile, tile),
        arguments=(input, weights, output, H, W, R, S),
    )


@problem.cost
def cost(H, W, R, S):
    return Cost(flops=2 * H * W * R * S, bytes=4 * (2 * H * W + R * S))
