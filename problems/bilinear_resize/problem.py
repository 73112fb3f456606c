"""Bilinear resize: an image at another size, every pixel a weighted mean of the four around its place."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, f32, module_of, out, scaled, size

problem = Problem(
    title="Bilinear resize",
    difficulty="easy",
    tags=("image", "interpolation", "gather", "memory bound"),
    kernel="resize_kernel",
    params=dict(
        input=array(f32, "H", "W"),
        output=out(f32, "OH", "OW"),
        H=size(1, 8192),
        W=size(1, 8192),
        OH=size(1, 8192),
        OW=size(1, 8192),
    ),
    constants=dict(COLUMNS=32, ROWS=8),
    gates=scaled(terms=4, families=("normal", "wide", "offset")),
    baseline="accepted/1_simple.cu",
    benchmarks=[
        dict(H=2048, W=2048, OH=4096, OW=4096),
        dict(H=4096, W=4096, OH=3072, OW=3072),
        dict(H=1080, W=1920, OH=2161, OW=3839),
    ],
)


def around(length, new_length, xp):
    """The two elements around each new one's place, and the weight of the second."""
    place = xp.clip((xp.arange(new_length) + 0.5) * length / new_length - 0.5, 0.0, length - 1.0)
    low = xp.floor(place).astype(int)
    return low, xp.minimum(low + 1, length - 1), place - low


def resized(input, OH, OW):
    xp, (H, W) = module_of(input), input.shape
    (top, bottom, down), (left, right, across) = around(H, OH, xp), around(W, OW, xp)
    upper = input[top][:, left] * (1 - across) + input[top][:, right] * across
    lower = input[bottom][:, left] * (1 - across) + input[bottom][:, right] * across
    return upper * (1 - down[:, None]) + lower * down[:, None]


@problem.reference
def reference(input, OH, OW):
    return resized(input, OH, OW)


@problem.scale
def scale(input, H, W, OH, OW):
    # A place has a rounding error that grows with it, which moves the result by as much as neighbours differ; a place
    # near an element may come to lie on its other side.
    xp, padded = module_of(input), np.pad(abs(input), 1, mode="edge")
    largest = xp.stack([padded[r : r + H, s : s + W] for r in range(3) for s in range(3)]).max(axis=0)
    place = ((xp.arange(OH) + 0.5) * H / OH)[:, None] + (xp.arange(OW) + 0.5) * W / OW
    return resized(largest, OH, OW) * (1 + place / 8)


@problem.solve
def solve(launch, input, output, H, W, OH, OW):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(
        grid=(ceil_div(OW, columns), ceil_div(OH, rows)),
        block=(columns, rows),
        arguments=(input, output, H, W, OH, OW),
    )


@problem.cost
def cost(H, W, OH, OW):
    # Three weighted means of two.
    return Cost(flops=9 * OH * OW, bytes=4 * (H * W + OH * OW))
