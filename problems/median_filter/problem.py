"""Median filter: every pixel of a grey image becomes the median of the nine around it."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, module_of, out, size, u8

problem = Problem(
    title="Median filter",
    difficulty="medium",
    tags=("image", "bytes", "sorting network", "register blocking"),
    kernel="median_kernel",
    params=dict(input=array(u8, "H", "W"), output=out(u8, "H", "W"), H=size(1, 16384), W=size(1, 16384)),
    constants=dict(COLUMNS=32, ROWS=8),
    gates=exact(families=("normal", "special", "spread", "constant")),
    baseline="accepted/2_network.cu",
    benchmarks=[dict(H=8192, W=8192), dict(H=4095, W=8190), dict(H=1080, W=1920)],
)


@problem.reference
def reference(input, H, W):
    # The image with its edge repeated around it.
    padded, xp = np.pad(input, 1, mode="edge"), module_of(input)
    nine = xp.stack([padded[r : r + H, s : s + W] for r in range(3) for s in range(3)])
    return xp.sort(nine, axis=0)[4]


@problem.solve
def solve(launch, input, output, H, W):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(grid=(ceil_div(W, columns), ceil_div(H, rows)), block=(columns, rows), arguments=(input, output, H, W))


@problem.cost
def cost(H, W):
    # Columns of three are sorted once for three pixels, six operations; eleven more join three of them.
    return Cost(flops=17 * H * W, bytes=2 * H * W)
