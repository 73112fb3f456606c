"""Causal attention of many heads in half precision, with sums in single precision."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, f16, module_of, out, scaled, size

ROWS = 512

problem = Problem(
    title="Attention in half precision",
    difficulty="hard",
    tags=("attention", "transformer", "fp16", "tensor cores", "tiling", "compute bound"),
    kernel="attention_fp16_kernel",
    params=dict(
        Q=array(f16, "H", "N", "D"),
        K=array(f16, "H", "N", "D"),
        V=array(f16, "H", "N", "D"),
        output=out(f16, "H", "N", "D"),
        H=size(1, 64),
        N=size(1, 16384),
        D=size(16, 128),
    ),
    constants=dict(WARPS=4),
    gates=scaled(terms=1, families=("normal", "wide", "opposed", "constant")),
    baseline="accepted/solve_3_mma_sync.cu",
    # More keys than a block has threads at most, which drawn cases are too small for.
    always=[at("normal", H=1, N=1050, D=16)],
    benchmarks=[
        dict(H=32, N=1024, D=64),
        dict(H=16, N=4096, D=128),
        dict(H=12, N=3001, D=96),
    ],
)


def probabilities(q, k, first):
    """The probabilities of some rows of a head, and how large the terms of their scores are."""
    root = np.sqrt(q.shape[1])
    rows = q[first : first + ROWS]
    scores = rows @ k.T / root
    xp = module_of(scores)
    later = xp.arange(len(k)) > xp.arange(first, first + len(rows))[:, None]
    scores = xp.where(later, -np.inf, scores)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), abs(rows) @ abs(k).T / root


@problem.reference
def reference(Q, K, V, H, N):
    output = np.zeros_like(Q)
    for h in range(H):
        for first in range(0, N, ROWS):
            output[h, first : first + ROWS] = probabilities(Q[h], K[h], first)[0] @ V[h]
    return output


@problem.scale
def scale(Q, K, V, H, N, D):
    # Sums in floats are off by 64 + 8 sqrt(N D) roundings of 2^-24 at most, times as much as a score's terms are large:
    # exp turns the error of a score into a relative one of its probability. Probabilities, the largest of a row 1, may
    # be rounded to halves: by 2^13 such roundings of their own, and below 2^-14 by half a one of 1. The gate multiplies
    # by the 72 of a single term.
    result = np.zeros_like(Q)
    for h in range(H):
        seen = abs(V[h]).cumsum(axis=0)
        for first in range(0, N, ROWS):
            rows = slice(first, first + ROWS)
            p, terms = probabilities(Q[h], K[h], first)
            terms = 1.0 + terms + (p * terms).sum(axis=1, keepdims=True)
            units = (64 + 8 * np.sqrt(N * D)) * terms + 2**13
            result[h, rows] = ((p * units) @ abs(V[h]) + seen[rows] / 2) / 72
    return result


@problem.solve
def solve(launch, Q, K, V, output, H, N, D):
    warps = launch.constant("WARPS")
    # A warp for each row of Q.
    launch(grid=(ceil_div(N, warps), H), block=(32, warps), arguments=(Q, K, V, output, H, N, D))


@problem.cost
def cost(H, N, D):
    # Scores and their product with V, two operations for each of D columns, and the softmax, for each pair of a row and
    # one that is not later.
    return Cost(flops=(4 * D + 5) * H * (N * (N + 1) // 2), bytes=8 * H * N * D)
