"""Convolution of an image of many channels with 3 x 3 weights, as networks have it."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="3 × 3 convolution",
    difficulty="hard",
    tags=("convolution", "tiling", "shared memory", "register blocking", "compute bound"),
    kernel="conv3x3_kernel",
    params=dict(
        input=array(f32, "B", "C", "H", "W"),
        weights=array(f32, "F", "C", 3, 3),
        output=out(f32, "B", "F", "H", "W"),
        B=size(1, 64),
        C=size(1, 1024),
        F=size(1, 1023),
        H=size(1, 1024),
        W=size(1, 1024),
    ),
    constants=dict(COLUMNS=32, ROWS=8),
    # Linear in input and in weights; nine products for each channel, fewer at the edges.
    gates=contraction(terms=("C", 9)),
    baseline="accepted/2_four_filters.cu",
    benchmarks=[
        dict(B=16, C=64, F=64, H=56, W=56),
        dict(B=8, C=128, F=128, H=112, W=112),
        dict(B=3, C=61, F=67, H=127, W=131),
    ],
)


@problem.reference
def reference(input, weights, F, H, W):
    # The image in the middle of zeros: output (y, x) starts at (y, x) of this array.
    padded = np.pad(input, ((0, 0), (0, 0), (1, 1), (1, 1)))
    output = np.zeros_like(input, shape=(len(input), F, H * W))
    for r in range(3):
        for s in range(3):
            moved = padded[:, :, r : r + H, s : s + W].reshape(len(input), -1, H * W)
            output += weights[:, :, r, s] @ moved
    return output.reshape(len(input), F, H, W)


@problem.solve
def solve(launch, input, weights, output, B, C, F, H, W):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(
        grid=(ceil_div(W, columns), ceil_div(H, rows), B * F),
        block=(columns, rows),
        arguments=(input, weights, output, B, C, F, H, W),
    )


@problem.cost
def cost(B, C, F, H, W):
    return Cost(flops=18 * B * C * F * H * W, bytes=4 * (B * C * H * W + 9 * F * C + B * F * H * W))
