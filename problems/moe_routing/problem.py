"""Routing of a mixture of experts: the best experts of each token, their weights, and its place in their queues."""

import numpy as np

from grader.problem import Cost, Problem, array, at, f32, i32, module_of, out, scaled, size

problem = Problem(
    title="Mixture of experts, routing",
    difficulty="hard",
    tags=("mixture of experts", "selection", "scan", "warp vote", "host loop"),
    kernel="moe_routing_kernel",
    params=dict(
        logits=array(f32, "T", "E"),
        experts=out(i32, "T", "K"),
        weights=out(f32, "T", "K"),
        places=out(i32, "T", "K"),
        counts=out(i32, "E"),
        T=size(1, 1_000_000),
        E=size(8, 256),
        K=size(1, 8),
    ),
    constants=dict(BLOCK=256),
    # In "constant" rows all experts are equal, in "negative" ones many.
    gates=scaled(terms="K", families=("normal", "constant", "negative", "wide", "peak", "comb", "lowest")),
    # Each of the most experts is chosen; all of the best are one lane's; logits beside the lowest float, and at it.
    always=[at("normal", T=2000, E=256, K=8), at("comb", T=9, E=256, K=8), at("lowest", T=40, E=9, K=1)],
    baseline="accepted/solve_3_tiles_of_tokens.cu",
    benchmarks=[
        dict(T=65_536, E=256, K=8),
        dict(T=131_072, E=64, K=2),
        dict(T=100_003, E=60, K=4),
    ],
)


def choose(logits, K):
    """The chosen experts, how far their logits lie below the best one's, and their weights."""
    experts = np.argsort(-logits, axis=1, kind="stable")[:, :K]
    chosen = np.take_along_axis(logits, experts, axis=1)
    below = chosen[:, :1] - chosen
    e = np.exp(-below)
    return experts, below, e / e.sum(axis=1, keepdims=True)


@problem.reference
def reference(logits, T, E, K):
    xp = module_of(logits)
    experts, _, weights = choose(logits, K)
    flat = experts.ravel()
    # Sorted by expert, the choices of one stand in the order of their tokens.
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat, minlength=E)
    first = xp.cumsum(counts) - counts
    places = xp.empty_like(flat)
    places[order] = xp.arange(T * K) - first[flat[order]]
    return dict(experts=experts, weights=weights, places=places.reshape(T, K), counts=counts)


@problem.scale
def scale(logits, E, K):
    # A rounding of the difference, and the fast exponential's, grow with it.
    experts, below, weights = choose(logits, K)
    size_of_errors = weights * (1.0 + below + (weights * below).sum(axis=1, keepdims=True))
    return dict(experts=experts, weights=size_of_errors, places=experts, counts=np.zeros_like(logits[0]))


@problem.solve
def solve(launch, logits, experts, weights, places, counts, T, E, K):
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(logits, experts, weights, places, counts, T, E, K))


@problem.cost
def cost(T, E, K):
    # Insertion into a sorted list takes up to K comparisons.
    return Cost(flops=T * E * K, bytes=4 * (T * E + 3 * T * K + E))
