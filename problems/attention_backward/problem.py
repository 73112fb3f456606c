"""The gradients of attention: from that of its output to those of queries, keys and values, head by head."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, choice, f32, module_of, out, scaled, size

ROWS = 512

problem = Problem(
    title="Attention, backward",
    difficulty="hard",
    tags=("attention", "softmax", "backward", "tiling", "shared memory", "atomics", "compute bound"),
    kernel="attention_backward_kernel",
    params=dict(
        Q=array(f32, "H", "N", "D"),
        K=array(f32, "H", "N", "D"),
        V=array(f32, "H", "N", "D"),
        upstream=array(f32, "H", "N", "D"),
        dQ=out(f32, "H", "N", "D"),
        dK=out(f32, "H", "N", "D"),
        dV=out(f32, "H", "N", "D"),
        H=size(1, 16),
        N=size(1, 8192),
        D=size(16, 64),
        causal=choice(0, 1),
    ),
    constants=dict(WARPS=4),
    gates=scaled(terms=("N", "D"), families=("normal", "wide", "opposed", "constant")),
    baseline="accepted/solve_3_tiles.cu",
    # More keys than a block has threads at most, which drawn cases are too small for.
    always=[at("normal", H=1, N=1050, D=16, causal=1)],
    benchmarks=[
        dict(H=16, N=1024, D=64, causal=0),
        dict(H=16, N=4096, D=64, causal=1),
        dict(H=12, N=2047, D=40, causal=0),
    ],
)


def probabilities(Q, K, first, causal):
    """The probabilities of some rows of one head, and the scale of their errors.

    A score is off by as much as its terms are large, and exp turns that into a relative error of each probability.
    """
    rows = slice(first, first + ROWS)
    root = np.sqrt(Q.shape[1])
    scores = Q[rows] @ K.T / root
    if causal:
        xp = module_of(scores)
        later = xp.arange(len(K)) > xp.arange(first, first + len(scores))[:, None]
        scores = xp.where(later, -np.inf, scores)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    terms = abs(Q[rows]) @ abs(K).T / root
    return p, p * (1.0 + terms + (p * terms).sum(axis=1, keepdims=True))


def chunks(H, N):
    return [(head, slice(first, first + ROWS)) for head in range(H) for first in range(0, N, ROWS)]


@problem.reference
def reference(Q, K, V, upstream, H, N, D, causal):
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(Q), np.zeros_like(Q)
    for h, rows in chunks(H, N):
        p, _ = probabilities(Q[h], K[h], rows.start, causal)
        changes = upstream[h, rows] @ V[h].T
        of_scores = p * (changes - (p * changes).sum(axis=1, keepdims=True)) / np.sqrt(D)
        dQ[h, rows] = of_scores @ K[h]
        dK[h] += of_scores.T @ Q[h, rows]
        dV[h] += p.T @ upstream[h, rows]
    return dict(dQ=dQ, dK=dK, dV=dV)


@problem.scale
def scale(Q, K, V, upstream, H, N, D, causal):
    # Products are off by their magnitudes, and what a probability is multiplied by counts with the error of that.
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(Q), np.zeros_like(Q)
    for h, rows in chunks(H, N):
        p, off = probabilities(Q[h], K[h], rows.start, causal)
        changes = abs(upstream[h, rows]) @ abs(V[h]).T
        of_scores = off * (changes + (p * changes).sum(axis=1, keepdims=True))
        of_scores += p * (off * changes).sum(axis=1, keepdims=True)
        of_scores /= np.sqrt(D)
        dQ[h, rows] = of_scores @ abs(K[h])
        dK[h] += of_scores.T @ abs(Q[h, rows])
        dV[h] += off.T @ abs(upstream[h, rows])
    return dict(dQ=dQ, dK=dK, dV=dV)


@problem.solve
def solve(launch, Q, K, V, upstream, dQ, dK, dV, H, N, D, causal):
    launch.memset(dK, 0)
    launch.memset(dV, 0)
    warps = launch.constant("WARPS")
    # A warp for each row of Q.
    launch(
        grid=(ceil_div(N, warps), H),
        block=(32, warps),
        arguments=(Q, K, V, upstream, dQ, dK, dV, H, N, D, causal),
    )


@problem.cost
def cost(H, N, D, causal):
    # Five products of two operations for each pair and each of D columns, and the softmax with its gradient; half of it
    # with the mask.
    return Cost(flops=(10 * D + 8) * H * N * N // (1 + causal), bytes=28 * H * N * D)
