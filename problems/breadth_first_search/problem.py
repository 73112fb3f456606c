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
    gates=exact(),
    baseline="accepted/2_warp_a_vertex.cu",
    benchmarks=[dict(V=10_000, DEGREE=8), dict(V=100_000, DEGREE=16), dict(V=1_000_000, DEGREE=16)],
)


@problem.structure
def structure(draw, family, V, DEGREE):
    # Each vertex has one edge at least; the others belong to whoever the cuts give them to.
    more = V * (DEGREE - 1)
    offsets = np.arange(V + 1) + np.concatenate([[0], np.sort(draw.integers(0, more, V - 1)), [more]])
    if family == "normal":
        # Anywhere but to the last vertices, which nothing leads to.
        return dict(offsets=offsets, neighbours=draw.integers(0, V - 1 - V // 8, V, DEGREE))
    # To vertices nearby, forwards or both ways: the last ones are twenty steps away. One edge of each leads forwards.
    reach = max(V // 20, 1)
    shift = draw.integers(-reach if family == "special" else 1, reach, V * DEGREE)
    shift[offsets[:-1]] = draw.integers(1, reach, V)
    start = np.repeat(np.arange(V), np.diff(offsets))
    return dict(offsets=offsets, neighbours=np.clip(start + shift, 0, V - 1).reshape(V, DEGREE))


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
