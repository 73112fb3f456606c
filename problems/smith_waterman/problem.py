"""Smith-Waterman: the score of the best local alignment of two sequences, for many pairs."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, i32, module_of, out, running_maximum, size, u8

MATCH, MISMATCH, GAP = 3, -2, -4

problem = Problem(
    title="Smith-Waterman alignment",
    difficulty="hard",
    tags=("dynamic programming", "wavefront", "warp shuffle", "registers"),
    kernel="alignment_kernel",
    params=dict(
        a=array(u8, "PAIRS", "N", structured=True),
        b=array(u8, "PAIRS", "M", structured=True),
        score=out(i32, "PAIRS"),
        PAIRS=size(1, 1_000_000),
        N=size(1, 1024),
        M=size(1, 1024),
    ),
    constants=dict(BLOCK=128),
    gates=exact(families=("normal", "special", "constant", "spread", "deep")),
    baseline="accepted/solve_3_rows_in_registers.cu",
    # The highest scores: the longest sequences, of common descent.
    always=[at("deep", PAIRS=2, N=1024, M=1024)],
    benchmarks=[dict(PAIRS=30_000, N=1024, M=1024), dict(PAIRS=100_003, N=127, M=501)],
)


def letters(draw, count, length):
    """Letters at random, sixteen from each number."""
    words = draw.integers(0, 2**32 - 1, count, -(-length // 16)).astype(np.uint32)
    pairs = words.view(np.uint8)[:, :, None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3
    return pairs.reshape(count, -1)[:, :length]


@problem.structure
def structure(draw, family, PAIRS, N, M):
    a, b = letters(draw, PAIRS, N), letters(draw, PAIRS, M)
    if family == "constant":
        # Each sequence is one letter again and again: all of it matches, or nothing does.
        a, b = np.broadcast_to(a[:, :1], a.shape), np.broadcast_to(b[:, :1], b.shape)
    elif family == "special":
        # Short pieces that come again and again.
        a, b = (x[:, np.arange(x.shape[1]) % draw.one(1, 7)] for x in (a, b))
    elif family == "spread":
        # One letter is more frequent than the others.
        a, b = a & letters(draw, PAIRS, N), b & letters(draw, PAIRS, M)
    elif family == "deep":
        # The second is descended from the first: now and then a letter is another, was lost, or came twice.
        change = draw.integers(0, 31, PAIRS, M)
        steps = np.where(change == 0, 0, np.where(change == 1, 2, 1))
        places = np.cumsum(steps, axis=1) - 1 + draw.one(0, N // 16)
        same = (places >= 0) & (places < N) & (change != 2)
        b = np.where(same, np.take_along_axis(a, np.clip(places, 0, N - 1), axis=1), b)
    return dict(a=a, b=b)


@problem.reference
def reference(a, b, PAIRS, N, M):
    xp = module_of(a)
    a, b = a.astype(int), b.astype(int)
    fall = -GAP * xp.arange(1, M + 1)
    row, best = xp.zeros((PAIRS, M + 1), int), xp.zeros(PAIRS, int)
    for i in range(N):
        pair = row[:, :-1] + xp.where(a[:, i, None] == b, MATCH, MISMATCH)
        new = xp.maximum(xp.maximum(pair, row[:, 1:] + GAP), 0)
        # A gap from the left costs as much with each step: a running maximum of what is brought to one level.
        row[:, 1:] = running_maximum(new + fall) - fall
        best = xp.maximum(best, row.max(axis=1))
    return best


@problem.solve
def solve(launch, a, b, score, PAIRS, N, M):
    launch(grid=PAIRS, block=launch.constant("BLOCK"), arguments=(a, b, score, PAIRS, N, M))


@problem.cost
def cost(PAIRS, N, M):
    # A cell takes a comparison, three additions and four maxima.
    return Cost(flops=8 * PAIRS * N * M, bytes=PAIRS * (N + M + 4))
