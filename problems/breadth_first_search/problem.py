"""Breadth-first search: how many steps each vertex of a graph is away from vertex 0."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, out, size

problem = Problem(
    title="Breadth-first search",
    difficulty="hard",
    tags=("graph", "CSR", "irregular", "atomics", "host loop"),
    kernel="bfs_kernel",
    params=dict(
        offsets=array(i32, "V+1"),
        neighbours=array(i32, "E"),
        distance=out(i32, "V"),
        V=size(1, 100_000),
        E=size(1, 2_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(),
)


@problem.structure
def structure(draw, family, V, E):
    offsets = np.concatenate([[0], np.sort(draw.integers(0, E, V - 1)), [E]])
    if family == "normal":
        return dict(offsets=offsets, neighbours=draw.integers(0, V - 1, E))
    # Edges to vertices nearby, forwards only or both ways: long ways, and parts that nothing leads to.
    reach = max(V // 50, 2)
    shift = draw.integers(-reach if family == "special" else 1, reach, E)
    start = np.repeat(np.arange(V), np.diff(offsets))
    return dict(offsets=offsets, neighbours=np.clip(start + shift, 0, V - 1))


@problem.reference
def reference(offsets, neighbours, V):
    distance = np.full(V, -1)
    frontier, steps = np.zeros(1, np.int64), 0
    while frontier.size:
        distance[frontier] = steps
        found = np.concatenate([neighbours[offsets[v] : offsets[v + 1]] for v in frontier])
        frontier, steps = np.unique(found[distance[found] < 0]), steps + 1
    return distance


@problem.solve
def solve(launch, offsets, neighbours, distance, V, E):
    # One block: its threads can wait for each other between two levels.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(offsets, neighbours, distance, V, E))


@problem.cost
def cost(V, E):
    return Cost(flops=V + E, bytes=8 * V + 4 + 4 * E)
