"""Connected components: which vertices of a graph hang together, given its edges."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, module_of, out, size

problem = Problem(
    title="Connected components",
    difficulty="hard",
    tags=("graph", "union-find", "atomics", "host loop", "irregular"),
    kernel="components_kernel",
    params=dict(
        a=array(i32, "E"),
        b=array(i32, "E"),
        label=out(i32, "V"),
        V=size(1, 10_000_000),
        E=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(families=("normal", "deep", "special", "apart", "hub")),
    baseline="accepted/solve_3_union_find.cu",
    benchmarks=[dict(V=4_000_000, E=16_000_000), dict(V=1_000_000, E=1_000_000), dict(V=100_003, E=999_983)],
)

CHAIN = 32
"""The longest chain: labels that go one edge at a time need as many rounds."""


@problem.structure
def structure(draw, family, V, E):
    if family == "normal":
        a, b = draw.integers(0, V - 1, E), draw.integers(0, V - 1, E)
    elif family == "deep":
        # Chains through the vertices in random order.
        order, k = draw.order(V), np.arange(E) % max(V - 1, 1)
        k -= k % CHAIN == CHAIN - 1
        a, b = order[k], order[np.minimum(k + 1, V - 1)]
        a, b = np.where(k < 0, 0, a), np.where(k < 0, 0, b)
    elif family == "special":
        # Neighbours and loops; many vertices have no edge.
        a = draw.integers(0, V - 1, E)
        a -= a % draw.one(1, 9)
        b = np.minimum(a + draw.integers(0, 1, E), V - 1)
    elif family == "hub":
        # One vertex in the middle has most of the edges, to the upper half alone.
        a, b = draw.integers(V // 2, V - 1, E), np.full(E, V // 2 + draw.one(0, V - 1 - V // 2))
        some = draw.integers(0, 9, E) == 0
        b[some] = draw.integers(V // 2, V - 1, int(some.sum()))
    else:
        # Pieces of a few hundred vertices with no edge between them.
        piece = draw.one(2, 300)
        a = draw.integers(0, V - 1, E)
        first = a // piece * piece
        b = first + draw.integers(0, 2**31 - 1, E) % np.minimum(piece, V - first)
    turned = draw.integers(0, 1, E) == 1
    return dict(a=np.where(turned, b, a), b=np.where(turned, a, b))


@problem.reference
def reference(a, b, V):
    xp = module_of(a)
    # CuPy's minimum.at takes no 64-bit integers.
    label = xp.arange(V, dtype=np.int32)
    while True:
        # The roots of each edge's ends go to the lower of the two, then everybody to the root.
        lower, new = xp.minimum(label[a], label[b]), label.copy()
        xp.minimum.at(new, label[a], lower)
        xp.minimum.at(new, label[b], lower)
        while (new[new] != new).any():
            new = new[new]
        if (new == label).all():
            return label
        label = new


@problem.solve
def solve(launch, a, b, label, V, E):
    # One block: its threads can wait for each other between two rounds.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(a, b, label, V, E))


@problem.cost
def cost(V, E):
    # An edge looks up two roots, each of them dozens of steps away at worst.
    return Cost(flops=64 * E + 4 * V, bytes=8 * E + 4 * V)
