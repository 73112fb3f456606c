"""Top-k: the largest elements of every row, in order."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, f32, out, size

problem = Problem(
    title="Top-k of rows",
    difficulty="hard",
    tags=("selection", "sorting", "shared memory", "warp shuffle"),
    kernel="top_k_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        output=out(f32, "M", "K"),
        M=size(1, 65535),
        N=size(33, 1_000_000),
        K=size(1, 32),
    ),
    constants=dict(BLOCK=256),
    gates=exact(signed_zeros=False, families=("normal", "negative", "special", "constant", "spread", "comb")),
    # All of the largest may be one lane's, or one thread's, which has to keep as many as are asked for.
    # Rows beside the lowest float, and of nothing but that.
    always=[at("comb", M=5, N=4099, K=32), at("comb", M=2, N=33_000, K=32), at("negative", M=6, N=300, K=5)],
    baseline="accepted/3_lists_of_warps.cu",
    benchmarks=[
        dict(M=1024, N=16384, K=8),
        dict(M=511, N=8191, K=5),
    ],
)


@problem.reference
def reference(input, K):
    return -np.sort(-input, axis=1)[:, :K]


@problem.solve
def solve(launch, input, output, M, N, K):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, output, M, N, K))


@problem.cost
def cost(M, N, K):
    # Insertion into a sorted list takes up to K comparisons.
    return Cost(flops=M * N * K, bytes=4 * M * (N + K))
