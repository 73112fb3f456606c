"""Matrix multiplication of 8-bit integers, requantised to 8 bits."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, f32, i8, out, size, uniform

problem = Problem(
    title="Quantised matrix multiplication",
    difficulty="medium",
    tags=("int8", "quantisation", "tiling", "dp4a", "compute bound"),
    kernel="matmul_int8_kernel",
    params=dict(
        A=array(i8, "M", "N"),
        B=array(i8, "N", "K"),
        # Sums of some hundred products then fill the range of a byte, and longer ones leave it.
        scale=array(f32, "K", values=uniform(0.0001, 0.003)),
        C=out(i8, "M", "K"),
        M=size(1, 8192),
        N=size(1, 8192),
        K=size(1, 8192),
    ),
    constants=dict(TILE=16),
    gates=exact(),
    baseline="accepted/3_four_products_at_once.cu",
    benchmarks=[
        dict(M=1024, N=1024, K=1024),
        dict(M=2048, N=2048, K=2048),
        dict(M=4095, N=2049, K=1023),
    ],
)


@problem.reference
def reference(A, B, scale):
    # Whole numbers below 2^53: a product in float64 is exact and, unlike one of integers, fast.
    sums = A.astype(np.float64) @ B.astype(np.float64)
    return np.clip(sums * scale, -128.0, 127.0)


@problem.solve
def solve(launch, A, B, scale, C, M, N, K):
    tile = launch.constant("TILE")
    launch(grid=(ceil_div(K, tile), ceil_div(M, tile)), block=(tile, tile), arguments=(A, B, scale, C, M, N, K))


@problem.cost
def cost(M, N, K):
    return Cost(flops=2 * M * N * K, bytes=M * N + N * K + M * K + 4 * K)
