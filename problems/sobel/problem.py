"""Sobel filter: how steep a grey image is at each pixel."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, out, size, u8

problem = Problem(
    title="Sobel filter",
    difficulty="easy",
    tags=("image", "bytes", "stencil", "shared memory"),
    kernel="sobel_kernel",
    params=dict(input=array(u8, "H", "W"), output=out(u8, "H", "W"), H=size(1, 16384), W=size(1, 16384)),
    constants=dict(COLUMNS=32, ROWS=8),
    # Smooth images keep the result below 255, where it is cut off.
    gates=exact(families=("normal", "spread", "special", "constant")),
    baseline="accepted/2_bounds_outside.cu",
    benchmarks=[dict(H=8192, W=8192), dict(H=4095, W=8190), dict(H=1080, W=1920)],
)


@problem.reference
def reference(input):
    # The image with its edge repeated around it, in numbers that may be negative.
    x = np.pad(input.astype(np.float64), 1, mode="edge")
    across = x[:, 2:] - x[:, :-2]
    down = x[2:] - x[:-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    # `exact` rounds the fraction.
    return np.minimum(np.sqrt(gx**2 + gy**2), 255.0)


@problem.solve
def solve(launch, input, output, H, W):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(grid=(ceil_div(W, columns), ceil_div(H, rows)), block=(columns, rows), arguments=(input, output, H, W))


@problem.cost
def cost(H, W):
    # Sums of rows serve three pixels: four operations for the two of each row, six to join them, five for the root.
    return Cost(flops=15 * H * W, bytes=2 * H * W)
