"""Triangle count: how many triples of vertices of a graph are all joined by edges."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, exact, i32, i64, module_of, out, size

problem = Problem(
    title="Triangle count",
    difficulty="hard",
    tags=("graph", "CSR", "irregular", "binary search", "atomics"),
    kernel="triangle_kernel",
    params=dict(
        offsets=array(i32, "V+1"),
        neighbours=array(i32, "V", "DEGREE"),
        count=out(i64, 1),
        V=size(1, 1_000_000),
        DEGREE=choice(1, 16),
    ),
    constants=dict(BLOCK=256),
    gates=exact(families=("normal", "special", "hub", "apart")),
    baseline="accepted/solve_3_threads_share_the_edges.cu",
    benchmarks=[dict(V=1_000_000, DEGREE=16), dict(V=100_003, DEGREE=11)],
)

HUB = 1500
"""Most neighbours of a vertex that has many: the reference looks at all pairs of them."""
PIECE = 2_000_000
"""Pairs of neighbours that the reference looks at together."""


@problem.structure
def structure(draw, family, V, DEGREE):
    edges = V * DEGREE
    first = draw.integers(0, V - 1, edges)
    if family == "special":
        # Cliques of neighbouring vertices: everything there is a triangle.
        clique = draw.one(3, 24)
        second = np.minimum(first // clique * clique + draw.integers(0, clique - 1, edges), V - 1)
    else:
        second = np.minimum(first + draw.integers(1, 3 * DEGREE, edges), V - 1)
    if family == "hub":
        # Two of the first vertices are joined with hundreds of others, many of them the same, and with each other.
        many = min(HUB, edges // 2)
        low = draw.one(0, min(V - 1, 2))
        high = min(low + draw.one(1, 3), V - 1)
        first[:many] = np.where(np.arange(many) % 2 == 0, low, high)
        second[:many] = draw.integers(0, min(V - 1, HUB), many)
        second[: min(many, 1)] = high
    if family == "apart":
        # Edges join even vertices with odd ones: there is no triangle, or few.
        keep = (first + second) % 2 == 1
        keep[: draw.one(0, min(edges, 9))] = True
        first, second = first[keep], second[keep]
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs = np.unique((low * V + high)[low < high])
    neighbours = np.full(edges, -1)
    neighbours[: pairs.size] = pairs % V
    return dict(offsets=np.searchsorted(pairs, np.arange(V + 1) * V), neighbours=neighbours.reshape(V, DEGREE))


@problem.reference
def reference(offsets, neighbours, V):
    xp = module_of(offsets)
    ends = neighbours.ravel()[: int(offsets[-1])].astype(int)
    offsets = offsets.astype(int)
    starts = xp.searchsorted(offsets, xp.arange(ends.size), side="right") - 1
    edges = starts * V + ends
    # Every edge u-v with every neighbour w of u behind v: is there an edge v-w?
    rest = offsets[starts + 1] - xp.arange(ends.size) - 1
    total, so_far = 0, xp.cumsum(rest)
    cuts = np.unique(np.searchsorted(so_far.tolist(), range(0, int(rest.sum()) + PIECE, PIECE)))
    for first, last in zip(cuts.tolist(), [*cuts.tolist()[1:], ends.size], strict=True):
        own = xp.arange(first, last)
        if own.size == 0:
            continue
        pair = xp.repeat(own, rest[first:last].tolist())
        places = (
            xp.arange(pair.size) - (so_far[first:last] - rest[first:last] - (so_far[first] - rest[first]))[pair - first]
        )
        wanted = ends[pair] * V + ends[pair + 1 + places]
        found = xp.searchsorted(edges, wanted)
        total += int((edges[xp.minimum(found, edges.size - 1)] == wanted).sum())
    return xp.full(1, total)


@problem.solve
def solve(launch, offsets, neighbours, count, V, DEGREE):
    block = launch.constant("BLOCK")
    launch.memset(count, 0)
    # A warp for each vertex; whoever needs fewer threads lets the others rest.
    launch(grid=ceil_div(32 * V, block), block=block, arguments=(offsets, neighbours, count, V, DEGREE))


@problem.cost
def cost(V, DEGREE):
    # Each edge is looked up, and then the lists of its two vertices: a comparison and a step for each of their numbers.
    return Cost(flops=4 * V * DEGREE * (DEGREE + 8), bytes=4 * (V + 1) + 4 * V * DEGREE + 8)
