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
    # A run that 16 bits can't count; each of the ENDS first and last; keys with any two of TABLE beside each other.
    always=[at("constant", N=200_003), *(at("special", N=N) for N in range(60, 64)), at("normal", N=20_011)],
    benchmarks=[dict(N=30_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)

EDGES = (32, 128, 256, 1024, 2048)
"""Lengths of runs that end where a warp's, a block's or a tile's share does."""
LONG = 65_536
"""More elements than 16 bits count."""
ENDS = (-(2**31), 2**31 - 1, 0, -1)
"""Keys that somebody may take for the mark of no key."""
FAR = 2**30
"""Beyond what a float counts: it is equal to FAR + 1 as a float, to FAR + 256 as a byte, to FAR + 65536 as 16 bits."""
TABLE = np.array([*ENDS, FAR, FAR + 1, FAR + 256, FAR + 65536])


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
    steps = draw.integers(1, len(TABLE) - 1, N)
    keys = TABLE[np.cumsum(heads * steps) % len(TABLE)]
    # Four lengths in a row have each of the ENDS as their first one and as their last.
    starts = np.flatnonzero(heads[1:]) + 1
    keys[starts[-1] if starts.size else 0 :] = ENDS[(N + 1) % len(ENDS)]
    keys[: starts[0] if starts.size else N] = ENDS[N % len(ENDS)]
    return dict(keys=keys)


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
