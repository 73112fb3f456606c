"""Image blur: every pixel of a grey image becomes the mean of the square around it."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, module_of, out, size, u8

problem = Problem(
    title="Image blur",
    difficulty="easy",
    tags=("image", "bytes", "stencil", "shared memory"),
    kernel="blur_kernel",
    params=dict(
        input=array(u8, "H", "W"),
        output=out(u8, "H", "W"),
        H=size(1, 16384),
        W=size(1, 16384),
        R=size(1, 31),
    ),
    constants=dict(TILE=16),
    gates=exact(),
    baseline="accepted/2_small_squares_unrolled.cu",
    benchmarks=[
        dict(H=8192, W=8192, R=1),
        dict(H=2047, W=4095, R=1),
    ],
)


def sums(values, R):
    """The sum of each square, by sums over everything above and to the left."""
    H, W = values.shape
    xp = module_of(values)
    table = xp.zeros((H + 1, W + 1), values.dtype)
    table[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    rows, columns = xp.arange(H), xp.arange(W)
    top, bottom = xp.maximum(rows - R, 0)[:, None], xp.minimum(rows + R + 1, H)[:, None]
    left, right = xp.maximum(columns - R, 0), xp.minimum(columns + R + 1, W)
    return table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]


@problem.reference
def reference(input, R):
    # A mean that ends in one half may be rounded either way: `exact` knows.
    return sums(input, R) / sums(np.ones_like(input), R)


@problem.solve
def solve(launch, input, output, H, W, R):
    tile = launch.constant("TILE")
    launch(grid=(ceil_div(W, tile), ceil_div(H, tile)), block=(tile, tile), arguments=(input, output, H, W, R))


@problem.cost
def cost(H, W, R):
    return Cost(flops=(2 * R + 1) ** 2 * H * W, bytes=2 * H * W)
