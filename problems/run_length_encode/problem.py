"""Run-length encoding: how often each element is repeated in a row."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, module_of, out, size

problem = Problem(
    title="Run-length encoding",
    difficulty="medium",
    tags=("compression", "scan", "look-back", "host loop", "memory bound"),
    kernel="rle_kernel",
    params=dict(
        input=array(i32, "N"),
        symbols=out(i32, "N"),
        lengths=out(i32, "N"),
        count=out(i32, 1),
        N=size(1, 30_000_000),
    ),
    constants=dict(BLOCK=1024),
    # The longest arrays are "spread", where runs are longest.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_look_back.cu",
    # A run that 16 bits can't count; each of the ENDS first and last; symbols with any two of TABLE beside each other.
    always=[at("constant", N=200_003), *(at("special", N=N) for N in range(60, 64)), at("normal", N=20_011)],
    benchmarks=[dict(N=30_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)

EDGES = (32, 128, 256, 1024, 2048)
"""Lengths of runs that end where a warp's, a block's or a tile's share does."""
LONG = 65_536
"""More elements than 16 bits count."""
ENDS = (-(2**31), 2**31 - 1, 0, -1)
"""Symbols that somebody may take for the mark of no symbol."""
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
    # Few symbols, so that each comes back later: it is a run of its own then.
    steps = draw.integers(1, len(TABLE) - 1, N)
    input = TABLE[np.cumsum(heads * steps) % len(TABLE)]
    # Four lengths in a row have each of the ENDS as their first one and as their last.
    starts = np.flatnonzero(heads[1:]) + 1
    input[starts[-1] if starts.size else 0 :] = ENDS[(N + 1) % len(ENDS)]
    input[: starts[0] if starts.size else N] = ENDS[N % len(ENDS)]
    return dict(input=input)


@problem.reference
def reference(input, N):
    xp = module_of(input)
    ends = xp.concatenate([xp.flatnonzero(input[1:] != input[:-1]), xp.full(1, N - 1)])
    totals = ends + 1
    totals[1:] -= totals[:-1].copy()
    rest = xp.zeros(N - ends.size, int)
    return dict(
        symbols=xp.concatenate([input[ends], rest]),
        lengths=xp.concatenate([totals, rest]),
        count=xp.full(1, ends.size),
    )


@problem.solve
def solve(launch, input, symbols, lengths, count, N):
    launch.memset(symbols, 0)
    launch.memset(lengths, 0)
    launch.memset(count, 0)
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, symbols, lengths, count, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=12 * N + 4)
