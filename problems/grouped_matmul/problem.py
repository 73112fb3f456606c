"""Grouped matrix multiplication: each group of rows with a matrix of its own."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, i32, out, size

problem = Problem(
    title="Grouped matrix multiplication",
    difficulty="hard",
    tags=("matrix multiplication", "mixture of experts", "tiling", "irregular"),
    kernel="grouped_matmul_kernel",
    params=dict(
        X=array(f32, "T", "K"),
        W=array(f32, "G", "K", "N"),
        offsets=array(i32, "G+1"),
        Y=out(f32, "T", "N"),
        T=size(1, 100_000),
        G=size(1, 256),
        K=size(1, 8192),
        N=size(1, 8192),
    ),
    constants=dict(TILE=16),
    gates=contraction(terms="K"),
    baseline="accepted/solve_3_tiles_in_registers.cu",
    benchmarks=[
        dict(T=8192, G=8, K=1024, N=2048),
        dict(T=4096, G=64, K=512, N=1024),
        dict(T=5003, G=31, K=499, N=1021),
    ],
)


@problem.structure
def structure(draw, family, T, G):
    cuts = draw.integers(0, T, G - 1)
    # A third of the groups ends at one place: some are empty.
    cuts[: G // 3] = draw.one(0, T)
    if family == "exact":
        # The last group has a row, however many groups there are.
        cuts = np.minimum(cuts, T - 1)
    return dict(offsets=np.concatenate([[0], np.sort(cuts), [T]]))


@problem.reference
def reference(X, W, offsets, G):
    ends = offsets.tolist()
    return np.concatenate([X[ends[g] : ends[g + 1]] @ W[g] for g in range(G)])


@problem.solve
def solve(launch, X, W, offsets, Y, T, G, K, N):
    tile = launch.constant("TILE")
    grid = (ceil_div(N, tile), ceil_div(T, tile))
    launch(grid=grid, block=(tile, tile), arguments=(X, W, offsets, Y, T, G, K, N))


@problem.cost
def cost(T, G, K, N):
    return Cost(flops=2 * T * K * N, bytes=4 * (T * K + G * K * N + T * N + G + 1))
