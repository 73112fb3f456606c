"""Depthwise convolution: every channel of every image with weights of its own."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, contraction, f32, out, size

problem = Problem(
    title="Depthwise convolution",
    difficulty="medium",
    tags=("convolution", "stencil", "shared memory", "register blocking", "memory bound"),
    kernel="depthwise_kernel",
    params=dict(
        input=array(f32, "B", "C", "H", "W"),
        weights=array(f32, "C", "K", "K"),
        output=out(f32, "B", "C", "H", "W"),
        B=size(1, 63),
        C=size(1, 1024),
        H=size(1, 2048),
        W=size(1, 2048),
        K=choice(1, 7),
    ),
    constants=dict(COLUMNS=32, ROWS=8),
    # Linear in input and in weights; up to K · K products in each sum, fewer at the edges.
    gates=contraction(terms=("K", "K")),
    baseline="accepted/2_shared_tile.cu",
    benchmarks=[
        dict(B=16, C=128, H=56, W=56, K=3),
        dict(B=32, C=96, H=112, W=112, K=7),
        dict(B=3, C=61, H=127, W=331, K=5),
    ],
)


@problem.reference
def reference(input, weights, H, W, K):
    # The image in the middle of zeros: output (y, x) starts at (y, x) of this array.
    around = (K // 2, K - 1 - K // 2)
    padded = np.pad(input, ((0, 0), (0, 0), around, around))
    output = np.zeros_like(input)
    for r in range(K):
        for s in range(K):
            output += weights[:, r, s, None, None] * padded[:, :, r : r + H, s : s + W]
    return output


@problem.solve
def solve(launch, input, weights, output, B, C, H, W, K):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(
        grid=(ceil_div(W, columns), ceil_div(H, rows), B * C),
        block=(columns, rows),
        arguments=(input, weights, output, B, C, H, W, K),
    )


@problem.cost
def cost(B, C, H, W, K):
    return Cost(flops=2 * K * K * B * C * H * W, bytes=4 * (2 * B * C * H * W + C * K * K))
