"""One step of k-means: each point to its nearest centre, and the sums that the new centres are made of."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, exact, i32, integers, out, size

PIECE = 16384
"""Points whose distances to all centres fit into memory together."""

problem = Problem(
    title="K-means step",
    difficulty="medium",
    tags=("clustering", "atomics", "shared memory"),
    kernel="kmeans_kernel",
    params=dict(
        # Whole numbers: distances are exact, so that ties are ties.
        points=array(i32, "N", 2, values=integers(-1000, 1000)),
        centres=array(i32, "K", 2, values=integers(-1000, 1000)),
        labels=out(i32, "N"),
        sums=out(i32, "K", 2),
        counts=out(i32, "K"),
        N=size(1, 2_000_000),
        K=size(1, 256),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    # Each of the most centres is some point's.
    always=[at("normal", N=10_000, K=256)],
    baseline="accepted/3_shared_sums.cu",
    benchmarks=[
        dict(N=1_000_000, K=64),
        dict(N=100_003, K=255),
    ],
)


@problem.reference
def reference(points, centres, N, K):
    pieces = [points[first : first + PIECE] for first in range(0, N, PIECE)]
    # argmin takes the first of equal ones.
    labels = np.concatenate([((p[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1) for p in pieces])
    sums = np.stack([np.bincount(labels, weights=points[:, axis], minlength=K) for axis in (0, 1)], axis=1)
    return dict(labels=labels, sums=sums, counts=np.bincount(labels, minlength=K))


@problem.solve
def solve(launch, points, centres, labels, sums, counts, N, K):
    block = launch.constant("BLOCK")
    launch.memset(sums, 0)
    launch.memset(counts, 0)
    launch(grid=ceil_div(N, block), block=block, arguments=(points, centres, labels, sums, counts, N, K))


@problem.cost
def cost(N, K):
    # Two differences, two squares, a sum and a comparison for each pair.
    return Cost(flops=6 * N * K, bytes=12 * N + 20 * K)
