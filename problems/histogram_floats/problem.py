"""Histogram of floats over bins of any width, with places for what lies outside and for NaN."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, exact, f32, i32, module_of, out, size

problem = Problem(
    title="Histogram of floats",
    difficulty="medium",
    tags=("atomics", "binary search", "shared memory", "memory bound"),
    kernel="histogram_floats_kernel",
    params=dict(
        input=array(f32, "N"),
        edges=array(f32, "BINS+1", structured=True),
        histogram=out(i32, "BINS"),
        outside=out(i32, 3),
        N=size(1, 100_000_000),
        BINS=size(1, 2048),
    ),
    constants=dict(BLOCK=256),
    # The longest arrays are "special", whose elements lie on edges.
    gates=exact(families=("normal", "nonfinite", "constant", "special")),
    # The last of the most bins, and its upper edge.
    always=[at("special", N=3000, BINS=2048)],
    baseline="accepted/2_shared_copies.cu",
    benchmarks=[dict(N=100_000_000, BINS=256), dict(N=50_000_000, BINS=2048), dict(N=10_000_019, BINS=100)],
)


@problem.structure
def structure(draw, family, BINS):
    if family in ("special", "nonfinite"):
        # From -1 to 1 in steps of one or more of a grid twice as fine: many elements are an edge, or next to one. Zeros
        # are the first edge or the last one where there is NaN.
        steps = 2 << (BINS - 1).bit_length()
        places = np.concatenate([[0], np.sort(draw.order(steps - 1)[: BINS - 1]) + 1, [steps]])
        return dict(edges=2 * places / steps - (1 if family == "special" else draw.one(0, 1) * 2))
    # Bins up to 1024 times as wide as others, from -3 or so to 3 or so; some elements lie outside.
    places = np.cumsum(draw.integers(1, 1024, BINS + 1))
    ends = (draw.integers(0, 64, 2) / 64 + 2.25) * (-1, 1)
    return dict(edges=ends[0] + (places - places[0]) / (places[-1] - places[0]) * (ends[1] - ends[0]))


@problem.reference
def reference(input, edges, BINS):
    xp = module_of(input)
    # How many edges are not above an element. NaN is above all of them, here.
    place = xp.searchsorted(edges, input, side="right")
    place[xp.isnan(input)] = BINS + 2
    counts = xp.bincount(place, minlength=BINS + 3)
    return dict(histogram=counts[1 : BINS + 1], outside=counts[xp.asarray([0, BINS + 1, BINS + 2])])


@problem.solve
def solve(launch, input, edges, histogram, outside, N, BINS):
    block = launch.constant("BLOCK")
    launch.memset(histogram, 0)
    launch.memset(outside, 0)
    # At most 1024 blocks: a longer input needs a grid-stride loop.
    launch(
        grid=min(ceil_div(N, block), 1024),
        block=block,
        arguments=(input, edges, histogram, outside, N, BINS),
    )


@problem.cost
def cost(N, BINS):
    # A comparison for each bit of a bin's number.
    return Cost(flops=N * (BINS + 1).bit_length(), bytes=4 * N + 8 * BINS + 16)
