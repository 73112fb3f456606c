"""Top-p sampling: a token drawn among the likeliest ones that together reach a share of the probability."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, module_of, out, size, u32

problem = Problem(
    title="Top-p sampling",
    difficulty="hard",
    tags=("sampling", "selection", "scan", "histogram", "transformer"),
    kernel="top_p_kernel",
    params=dict(
        # Whole numbers: sums are exact, so that no order of addition changes what is drawn.
        weights=array(i32, "M", "N"),
        shares=array(i32, "M"),
        draws=array(u32, "M"),
        tokens=out(i32, "M"),
        M=size(1, 1024),
        N=size(1, 131072),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/3_four_weights_a_thread.cu",
    benchmarks=[dict(M=512, N=32_768), dict(M=128, N=131_072), dict(M=67, N=50_257)],
)

ONE = 65536
"""A share of 1."""
MOST = 2**31 - 1


@problem.structure
def structure(draw, family, M, N):
    top = MOST // N
    if family == "special":
        # Few different weights: many tokens are as likely as the last one that is kept.
        weights = draw.integers(0, min(draw.one(1, 5), top), M, N)
    elif family == "constant":
        weights = np.broadcast_to(draw.integers(1, top, M, 1), (M, N)).copy()
    else:
        # As of a softmax: half of the tokens have a half of the largest weight or less, and so on.
        weights = draw.integers(0, top, M, N) >> draw.integers(0, 31 if family == "spread" else 12, M, N)
    # No row is without a positive weight.
    sure = weights[np.arange(M), draw.integers(0, N - 1, M)]
    weights[np.arange(M), draw.integers(0, N - 1, M)] = np.maximum(sure, 1)
    weights[weights.sum(axis=1) == 0, 0] = 1
    shares = draw.integers(1, ONE, M)
    ends = np.array([1, ONE // 2, ONE * 9 // 10, ONE - 1, ONE])[draw.integers(0, 4, M)]
    return dict(weights=weights, shares=np.where(draw.integers(0, 1, M) == 0, shares, ends))


@problem.reference
def reference(weights, shares, draws, M, N):
    xp = module_of(weights)
    weights, shares, draws = (x.astype(np.int64) for x in (weights, shares, draws))
    rows = xp.arange(M)
    order = np.argsort(-weights, axis=1, kind="stable")
    sums = xp.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    last = (ONE * sums >= (shares * sums[:, -1])[:, None]).argmax(axis=1)
    rank = xp.empty_like(order)
    rank[rows[:, None], order] = xp.arange(N)
    kept = xp.where(rank <= last[:, None], weights, 0)
    unit = draws * sums[rows, last] >> 32
    return (xp.cumsum(kept, axis=1) > unit[:, None]).argmax(axis=1)


@problem.solve
def solve(launch, weights, shares, draws, tokens, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(weights, shares, draws, tokens, M, N))


@problem.cost
def cost(M, N):
    # A comparison for each bit of the last weight that is kept, then a sum.
    return Cost(flops=32 * M * N, bytes=4 * (M * N + 3 * M))
