"""Batched matrix multiplication: many products of small matrices at once."""

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="Batched matrix multiplication",
    difficulty="medium",
    tags=("tiling", "shared memory", "batched"),
    kernel="batched_matmul_kernel",
    params=dict(
        A=array(f32, "BATCH", "M", "N"),
        B=array(f32, "BATCH", "N", "K"),
        C=out(f32, "BATCH", "M", "K"),
        BATCH=size(1, 2000),
        M=size(1, 1000),
        N=size(1, 1000),
        K=size(1, 1000),
    ),
    constants=dict(TILE=16),
    # A matrix product for each member of the batch: N products in each sum, whatever BATCH is.
    gates=contraction(terms="N"),
    baseline="accepted/3_wide_tiles.cu",
    benchmarks=[
        dict(BATCH=2000, M=64, N=64, K=64),
        dict(BATCH=128, M=256, N=256, K=256),
        dict(BATCH=37, M=501, N=129, K=1000),
    ],
)


@problem.reference
def reference(A, B):
    return A @ B


@problem.solve
def solve(launch, A, B, C, BATCH, M, N, K):
    tile = launch.constant("TILE")
    launch(
        grid=(ceil_div(K, tile), ceil_div(M, tile), BATCH),
        block=(tile, tile),
        arguments=(A, B, C, BATCH, M, N, K),
    )


@problem.cost
def cost(BATCH, M, N, K):
    return Cost(flops=2 * BATCH * M * N * K, bytes=4 * BATCH * (M * N + N * K + M * K))
