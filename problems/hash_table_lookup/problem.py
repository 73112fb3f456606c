"""Hash table: keys are inserted, queries look up where theirs stands first."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, module_of, out, size

problem = Problem(
    title="Hash table",
    difficulty="hard",
    tags=("hashing", "atomics", "irregular", "host loop"),
    kernel="hash_table_kernel",
    params=dict(
        keys=array(i32, "N"),
        queries=array(i32, "Q"),
        places=out(i32, "Q"),
        N=size(1, 1_000_000),
        Q=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(families=("normal", "special", "spread")),
    baseline="accepted/solve_3_keys_in_the_table.cu",
    benchmarks=[dict(N=1_000_000, Q=16_777_216), dict(N=100_003, Q=9_999_991), dict(N=1_000_000, Q=1_000_000)],
)

LEAST, MOST = -(2**31), 2**31 - 1
EDGES = np.array([0, -1, 1, LEAST, MOST])
"""Keys that somebody may take for the mark of an empty slot."""


@problem.structure
def structure(draw, family, N, Q):
    if family == "special":
        # Few different keys, each many times.
        keys = draw.integers(-3, draw.one(-2, 60), N)
    elif family == "spread":
        # Keys at equal distances, in any order.
        keys = (draw.order(N) - draw.one(0, N)) * draw.one(1, 40)
    else:
        keys = draw.integers(LEAST, MOST, N)
    some = draw.integers(0, 9, N) == 0
    keys[some] = np.where(family == "spread", keys[some], EDGES[draw.integers(0, 4, int(some.sum()))])
    # Half of the queries are there, the others are mostly not, or are neighbours of keys.
    queries = keys[draw.integers(0, N - 1, Q)]
    kind = draw.integers(0, 3, Q)
    queries = np.where(kind == 0, draw.integers(LEAST, MOST, Q), queries)
    queries = np.where(kind == 1, np.clip(queries + draw.integers(-1, 1, Q), LEAST, MOST), queries)
    # An end of the range looks as an empty slot may.
    queries[:5] = EDGES[: min(5, Q)]
    return dict(keys=keys, queries=queries)


@problem.reference
def reference(keys, queries, N):
    xp = module_of(keys)
    order = np.argsort(keys, kind="stable")
    found = xp.searchsorted(keys[order], queries)
    first = order[xp.minimum(found, N - 1)]
    return xp.where((found < N) & (keys[first] == queries), first, -1)


@problem.solve
def solve(launch, keys, queries, places, N, Q):
    # One block: its threads can wait for each other between inserting and looking up.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(keys, queries, places, N, Q))


@problem.cost
def cost(N, Q):
    return Cost(flops=N + Q, bytes=4 * N + 8 * Q)
