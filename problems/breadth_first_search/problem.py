"""Breadth-first search: how many steps each vertex of a graph is away from vertex 0."""

import numpy as np

from grader.problem import Cost, Problem, array, choice, exact, i32, module_of, out, size

problem = Problem(
    title="Breadth-first search",
    difficulty="hard",
    tags=("graph", "CSR", "irregular", "atomics", "host loop"),
    kernel="bfs_kernel",
    params=dict(
        offsets=array(i32, "V+1"),
        neighbours=array(i32, "V", "DEGREE"),
        distance=out(i32, "V"),
        V=size(1, 1_000_000),
        DEGREE=choice(1, 16),
    ),
    constants=dict(BLOCK=1024),
    # Cases take turns, small to large: the third is a small one and one of some blocks, where "deep" is deepest.
    gates=exact(families=("normal", "spread", "deep", "special", "hub", "apart")),
    baseline="accepted/2_warp_a_vertex.cu",
    benchmarks=[dict(V=10_000, DEGREE=8), dict(V=100_000, DEGREE=16), dict(V=1_000_000, DEGREE=16)],
)


LEVELS, VISITS = 130, 1_500_000
HUB = 10_000
"""The edges of a vertex that has nearly all of them."""


def most_levels(V):
    """Levels of a deep graph, which none exceeds: LEVELS, or as many as let a kernel look at VISITS vertices, or 24."""
    return min(V - 1, LEVELS, max(VISITS // V, 24))


def path(draw, offsets, start, V):
    """Edges that lead no more than one level up, and a way through all levels: the last is as far away as it can be."""
    levels = most_levels(V)
    order = np.concatenate([[0], 1 + draw.order(V - 1)])
    level = np.empty(V, int)
    level[order] = np.concatenate([np.arange(levels + 1), draw.integers(1, max(levels, 1), V - levels - 1)])
    by_level = np.argsort(level, kind="stable")
    reachable = np.searchsorted(level[by_level], level + 1, side="right")
    neighbours = by_level[draw.integers(0, 2**31 - 1, start.size) * reachable[start] >> 31]
    neighbours[offsets[order[:levels]]] = order[1 : levels + 1]
    return neighbours


def cut(draw, offsets, neighbours, V):
    """The same edges, except that those of the last level that is allowed lead to vertices found before it."""
    neighbours = neighbours.ravel()
    found, level = np.zeros(V, bool), np.zeros(1, int)
    found[0] = True
    for _ in range(most_levels(V) + 1):
        edges = edges_of(offsets, level)
        fresh = np.zeros(V, bool)
        fresh[neighbours[edges]] = True
        level = np.flatnonzero(fresh & ~found)
        if level.size == 0:
            return neighbours
        known, found = found, found | fresh
    beyond = edges[~known[neighbours[edges]]]
    found = np.flatnonzero(known)
    neighbours[beyond] = found[draw.integers(0, found.size - 1, beyond.size)]
    return neighbours


def edges_of(offsets, vertices):
    """The numbers of all edges of these vertices."""
    counts = offsets[vertices + 1] - offsets[vertices]
    return np.repeat(offsets[vertices] + counts - np.cumsum(counts), counts) + np.arange(counts.sum())


@problem.structure
def structure(draw, family, V, DEGREE):
    offsets, neighbours = drawn(draw, family, V, DEGREE)
    return dict(offsets=offsets, neighbours=cut(draw, offsets, neighbours, V).reshape(V, DEGREE))


def drawn(draw, family, V, DEGREE):
    """The offsets and neighbours of a graph that may have more levels than are allowed."""
    # Each vertex has one edge at least; the others belong to whoever the cuts give them to.
    more = V * (DEGREE - 1)
    first = min(more, HUB) if family == "hub" else 0
    offsets = np.arange(V + 1) + np.concatenate([[0], np.sort(draw.integers(first, more, V - 1)), [more]])
    if family == "deep":
        start = np.repeat(np.arange(V), np.diff(offsets))
        return offsets, path(draw, offsets, start, V)
    if family == "apart":
        # Pieces with no edge between them; vertex 0 may be one alone.
        piece = max(V // draw.one(2, 5), 1)
        start = np.repeat(np.arange(V), np.diff(offsets))
        first = start // piece * piece
        length = np.minimum(piece, V - first)
        neighbours = first + (draw.integers(0, 2**31 - 1, V * DEGREE) * length >> 31)
        if draw.one(0, 2) == 0:
            neighbours[: offsets[1]] = 0
        return offsets, neighbours
    if family in ("normal", "hub"):
        # Anywhere but to the last vertices, which nothing leads to.
        return offsets, draw.integers(0, V - 1 - V // 8, V * DEGREE)
    # To vertices nearby, forwards or both ways: the last ones are twenty steps away. One edge of each leads forwards.
    reach = max(V // 20, 1)
    shift = draw.integers(-reach if family == "special" else 1, reach, V * DEGREE)
    shift[offsets[:-1]] = draw.integers(1, reach, V)
    start = np.repeat(np.arange(V), np.diff(offsets))
    return offsets, np.clip(start + shift, 0, V - 1)


@problem.reference
def reference(offsets, neighbours, V):
    neighbours, xp = neighbours.ravel(), module_of(offsets)
    # The vertex that an edge leaves is the last one whose edges begin at it or before it.
    starts = xp.searchsorted(offsets, xp.arange(neighbours.size), side="right") - 1
    distance = xp.full(V, -1)
    distance[0], steps, more = 0, 0, True
    while more:
        found = neighbours[distance[starts] == steps]
        found = found[distance[found] < 0]
        distance[found] = steps + 1
        steps, more = steps + 1, found.size > 0
    return distance


@problem.solve
def solve(launch, offsets, neighbours, distance, V, DEGREE):
    # One block: its threads can wait for each other between two levels.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(offsets, neighbours, distance, V, DEGREE))


@problem.cost
def cost(V, DEGREE):
    return Cost(flops=V + V * DEGREE, bytes=8 * V + 4 + 4 * V * DEGREE)
