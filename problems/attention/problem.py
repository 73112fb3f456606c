"""Attention of a single head, with or without a causal mask."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, choice, f32, module_of, out, scaled, size

ROWS = 512

problem = Problem(
    title="Attention",
    difficulty="hard",
    tags=("attention", "softmax", "tiling", "shared memory", "compute bound"),
    kernel="attention_kernel",
    params=dict(
        Q=array(f32, "N", "D"),
        K=array(f32, "N", "D"),
        V=array(f32, "N", "D"),
        output=out(f32, "N", "D"),
        N=size(1, 16384),
        D=size(16, 128),
        causal=choice(0, 1),
    ),
    constants=dict(WARPS=4),
    gates=scaled(terms=("N", "D"), families=("normal", "wide", "opposed", "constant")),
    baseline="accepted/3_shared_keys.cu",
    # More keys than a block has threads at most, which drawn cases are too small for.
    always=[at("normal", N=1050, D=16, causal=1)],
    benchmarks=[
        dict(N=1024, D=64, causal=0),
        dict(N=4096, D=64, causal=1),
        dict(N=4096, D=128, causal=0),
    ],
)


def probabilities(Q, K, first, causal):
    """The probabilities of some rows, and how large the terms of their scores are."""
    rows = slice(first, first + ROWS)
    root = np.sqrt(Q.shape[1])
    scores = Q[rows] @ K.T / root
    if causal:
        xp = module_of(scores)
        later = xp.arange(len(K)) > xp.arange(first, first + len(scores))[:, None]
        scores = xp.where(later, -np.inf, scores)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), abs(Q[rows]) @ abs(K).T / root


@problem.reference
def reference(Q, K, V, N, causal):
    output = np.zeros_like(Q)
    for first in range(0, N, ROWS):
        output[first : first + ROWS] = probabilities(Q, K, first, causal)[0] @ V
    return output


@problem.scale
def scale(Q, K, V, N, causal):
    # A score is off by as much as its terms are large, and exp turns that into a relative error of each probability.
    result = np.zeros_like(Q)
    for first in range(0, N, ROWS):
        p, terms = probabilities(Q, K, first, causal)
        terms = 1.0 + terms + (p * terms).sum(axis=1, keepdims=True)
        result[first : first + ROWS] = (p * terms) @ abs(V)
    return result


@problem.solve
def solve(launch, Q, K, V, output, N, D, causal):
    warps = launch.constant("WARPS")
    # A warp for each row of Q.
    launch(grid=ceil_div(N, warps), block=(32, warps), arguments=(Q, K, V, output, N, D, causal))


@problem.cost
def cost(N, D, causal):
    # Scores and their product with V, two operations for each pair and each of D columns, and the softmax; half of it
    # with the mask.
    return Cost(flops=(4 * D + 5) * N * N // (1 + causal), bytes=16 * N * D)
