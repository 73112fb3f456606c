"""Reduction by key: the sum of the values of each run of equal keys."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, integers, module_of, out, size

problem = Problem(
    title="Reduction by key",
    difficulty="hard",
    tags=("reduction", "scan", "look-back", "host loop", "memory bound"),
    kernel="reduce_by_key_kernel",
    params=dict(
        keys=array(i32, "N"),
        # The sum of 30 million of these fits an int.
        values=array(i32, "N", values=integers(-40, 40)),
        run_keys=out(i32, "N"),
        sums=out(i32, "N"),
        count=out(i32, 1),
        N=size(1, 30_000_000),
    ),
    constants=dict(BLOCK=1024),
    # The longest arrays are "spread", where runs are longest.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_look_back.cu",
    # A run that 16 bits can't count.
    always=[at("constant", N=200_003)],
    benchmarks=[dict(N=30_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)

EDGES = (32, 128, 256, 1024, 2048)
"""Lengths of runs that end where a warp's, a block's or a tile's share does."""
LONG = 65_536
"""More elements than 16 bits count."""


@problem.structure
def structure(draw, family, N):
    heads = np.zeros(N, int)
    if family == "special":
        # Runs that begin with pieces of a kernel, or one element beside them.
        heads[draw.one(0, 1) :: EDGES[draw.one(0, len(EDGES) - 1)]] = 1
    elif family == "constant":
        # One run, or as many as there are elements; two of many elements.
        heads[:] = draw.one(0, 1) if N <= LONG else np.arange(N) == draw.one(0, N // 4)
    else:
        # Lengths of 1 to 64 on average, or of 64 to 16384.
        length = 1 << (draw.one(0, 6) if family == "normal" else draw.one(6, 14))
        heads[draw.integers(0, length - 1, N) == 0] = 1
    # Few keys, so that each comes back later: it is a run of its own then.
    steps = draw.integers(1, 6, N)
    return dict(keys=np.cumsum(heads * steps) % 7 - 3)


@problem.reference
def reference(keys, values, N):
    xp = module_of(keys)
    ends = xp.concatenate([xp.flatnonzero(keys[1:] != keys[:-1]), xp.full(1, N - 1)])
    totals = xp.cumsum(values)[ends]
    totals[1:] -= totals[:-1].copy()
    rest = xp.zeros(N - ends.size, int)
    return dict(
        run_keys=xp.concatenate([keys[ends], rest]),
        sums=xp.concatenate([totals, rest]),
        count=xp.full(1, ends.size),
    )


@problem.solve
def solve(launch, keys, values, run_keys, sums, count, N):
    launch.memset(run_keys, 0)
    launch.memset(sums, 0)
    launch.memset(count, 0)
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(keys, values, run_keys, sums, count, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=16 * N + 4)
