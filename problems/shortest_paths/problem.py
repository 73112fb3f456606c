"""Shortest paths: how far each vertex of a weighted graph is from vertex 0."""

import numpy as np

from grader.problem import Cost, Problem, array, choice, exact, i32, module_of, out, size

problem = Problem(
    title="Shortest paths",
    difficulty="hard",
    tags=("graph", "CSR", "irregular", "atomics", "host loop"),
    kernel="shortest_paths_kernel",
    params=dict(
        offsets=array(i32, "V+1"),
        neighbours=array(i32, "V", "DEGREE"),
        # Part of the graph: how many rounds a host's loop takes depends on them.
        weights=array(i32, "V", "DEGREE"),
        distance=out(i32, "V"),
        V=size(1, 1_000_000),
        DEGREE=choice(1, 16),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(families=("normal", "deep", "special", "hub", "apart")),
    baseline="accepted/solve_3_list_of_changes.cu",
    benchmarks=[dict(V=1_000_000, DEGREE=16), dict(V=100_000, DEGREE=16), dict(V=10_007, DEGREE=7)],
)

LEVELS, VISITS = 60, 500_000
"""Layers of a deep graph: LEVELS, or as many as let a kernel look at VISITS vertices, or 8."""
HUB = 10_000
"""The edges of a vertex that has nearly all of them."""


@problem.structure
def structure(draw, family, V, DEGREE):
    # Each vertex has one edge at least; the others belong to whoever the cuts give them to.
    more = V * (DEGREE - 1)
    first = min(more, HUB) if family == "hub" else 0
    offsets = np.arange(V + 1) + np.concatenate([[0], np.sort(draw.integers(first, more, V - 1)), [more]])
    start = np.repeat(np.arange(V), np.diff(offsets))
    if family in ("deep", "special"):
        # Layers, each of which leads to itself and to the next one: there is a way through all of them.
        layers = max(min(LEVELS, VISITS // V), 8) if family == "deep" else 8
        length = max(V // layers, 1)
        layer = start // length
        low = np.minimum(layer * length, V - 1)
        neighbours = low + draw.integers(0, 2**31 - 1, V * DEGREE) % np.minimum(2 * length, V - low)
        firsts = offsets[:-1]
        neighbours[firsts] = np.minimum(np.arange(V) + length, V - 1)
    elif family == "apart":
        # Pieces with no edge between them.
        piece = max(V // draw.one(2, 5), 1)
        low = start // piece * piece
        neighbours = low + draw.integers(0, 2**31 - 1, V * DEGREE) % np.minimum(piece, V - low)
    else:
        # Anywhere but to the last vertices, which nothing leads to.
        neighbours = draw.integers(0, V - 1 - V // 8, V * DEGREE)
    between = draw.integers(1, 1000, V, DEGREE)
    weights = np.where(between < 500, 1, 1000) if family == "special" else between
    return dict(offsets=offsets, neighbours=neighbours.reshape(V, DEGREE), weights=weights)


@problem.reference
def reference(offsets, neighbours, weights, V):
    xp = module_of(offsets)
    neighbours, weights = neighbours.ravel(), weights.ravel().astype(int)
    starts = xp.searchsorted(offsets, xp.arange(neighbours.size), side="right") - 1
    far = 2**40
    distance, changed = xp.full(V, far), xp.zeros(V, bool)
    distance[0], changed[0] = 0, True
    while bool(changed.any()):
        edges = xp.flatnonzero(changed[starts])
        nearer = distance.copy()
        xp.minimum.at(nearer, neighbours[edges], distance[starts[edges]] + weights[edges])
        changed, distance = nearer < distance, nearer
    return xp.where(distance < far, distance, -1)


@problem.solve
def solve(launch, offsets, neighbours, weights, distance, V, DEGREE):
    # One block: its threads can wait for each other between two rounds.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(offsets, neighbours, weights, distance, V, DEGREE))


@problem.cost
def cost(V, DEGREE):
    # An edge is relaxed in a dozen rounds or more, by a handful of operations each.
    return Cost(flops=64 * V * DEGREE, bytes=8 * V + 4 + 8 * V * DEGREE)
