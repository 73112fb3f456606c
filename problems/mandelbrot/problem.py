"""Mandelbrot: after how many steps each point of the plane leaves the circle, in fixed-point numbers."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, exact, i32, module_of, out, size

problem = Problem(
    title="Mandelbrot set",
    difficulty="medium",
    tags=("divergence", "fixed point", "load balance", "compute bound"),
    kernel="mandelbrot_kernel",
    params=dict(
        real=array(i32, "W"),
        imaginary=array(i32, "H"),
        steps=out(i32, "H", "W"),
        H=size(1, 16384),
        W=size(1, 16384),
        LIMIT=size(1, 10_000),
    ),
    constants=dict(BLOCK=256, BLOCKS=1024),
    gates=exact(families=("normal", "deep", "spread", "special")),
    baseline="accepted/1_simple.cu",
    # Points that come near a cycle and leave it after thousands of steps.
    always=[at("special", H=8, W=120, LIMIT=10_000)],
    benchmarks=[
        dict(H=2048, W=2048, LIMIT=1000),
        dict(H=1080, W=1920, LIMIT=10_000),
        dict(H=997, W=1511, LIMIT=256),
    ],
)

BITS = 28
ONE = 1 << BITS
WINDOW = ((-2 * ONE, 3 * ONE // 4), (-5 * ONE // 4, 5 * ONE // 4))
"""All of the set: ends of the real and of the imaginary parts."""
PLACES = ((-199617000, 35386500), (-27140000, 256708000), (-335722000, 5401000), (79000000, 2600000))
"""Points near the set's edge, where neighbours take very different numbers of steps."""
EIGHTHS = (-16, -14, -11, -10, -8, -6, -4, -2, -1, 0, 1, 2, 3, 4, 8, 16)
"""Parts of points on the real axis, on the circle, and at the edge of the set's largest pieces."""
PAUSE = ONE // 4
"""Where the set ends on the real axis. Beside it an orbit moves by a few units a step, as if it had come to a cycle,
and leaves after thousands of steps."""


def evenly(low, high, count):
    return low + np.arange(count) * (high - low) // max(count - 1, 1)


@problem.structure
def structure(draw, family, H, W):
    if family == "spread":
        # Columns and rows in no order: neighbours have nothing in common.
        return dict(real=draw.integers(-2 * ONE, 2 * ONE, W), imaginary=draw.integers(-2 * ONE, 2 * ONE, H))
    if family == "special":
        parts = np.array(EIGHTHS) * (ONE // 8)
        real, imaginary = (parts[draw.integers(0, len(parts) - 1, count)] for count in (W, H))
        slow = PAUSE + (draw.integers(26, 63, W) << draw.integers(0, 8, W))
        return dict(
            real=np.where(draw.integers(0, 1, W) == 0, real, slow),
            imaginary=imaginary * draw.integers(0, 1, H),
        )
    (left, right), (bottom, top) = WINDOW
    if family == "deep":
        x, y = PLACES[draw.one(0, len(PLACES) - 1)]
        reach = ONE >> draw.one(4, 9)
        left, right, bottom, top = x - reach, x + reach, y - reach, y + reach
    return dict(real=evenly(left, right, W), imaginary=evenly(bottom, top, H))


@problem.reference
def reference(real, imaginary, H, W, LIMIT):
    xp = module_of(real)
    cx = xp.broadcast_to(real.astype(xp.int64), (H, W)).ravel()
    cy = xp.repeat(imaginary.astype(xp.int64), W)
    steps = xp.zeros(H * W, xp.int64)
    x, y, left = xp.zeros_like(cx), xp.zeros_like(cy), xp.arange(H * W)
    for _ in range(LIMIT):
        x, y = ((x * x - y * y) >> BITS) + cx, (x * y >> (BITS - 1)) + cy
        steps[left] += 1
        inside = x * x + y * y <= 4 << 2 * BITS
        x, y, cx, cy, left = x[inside], y[inside], cx[inside], cy[inside], left[inside]
        if not left.size:
            break
    return steps.reshape(H, W)


@problem.solve
def solve(launch, real, imaginary, steps, H, W, LIMIT):
    block, most = launch.constant("BLOCK"), launch.constant("BLOCKS")
    launch(grid=min(ceil_div(H * W, block), most), block=block, arguments=(real, imaginary, steps, H, W, LIMIT))


@problem.cost
def cost(H, W, LIMIT):
    # At most LIMIT steps a point: three products, four sums, two shifts and a comparison each.
    return Cost(flops=10 * H * W * LIMIT, bytes=4 * (H * W + H + W))
