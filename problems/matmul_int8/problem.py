"""Matrix multiplication of 8-bit integers, requantised to 8 bits."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, exact, f32, i8, out, size

problem = Problem(
    title="Quantised matrix multiplication",
    difficulty="medium",
    tags=("int8", "quantisation", "tiling", "dp4a", "compute bound"),
    kernel="matmul_int8_kernel",
    params=dict(
        A=array(i8, "M", "N"),
        B=array(i8, "N", "K"),
        scale=array(f32, "K", structured=True),
        C=out(i8, "M", "K"),
        M=size(1, 8192),
        N=size(1, 8192),
        K=size(1, 8192),
    ),
    constants=dict(TILE=16),
    gates=exact(families=("normal", "spread", "special", "constant", "highest")),
    # Sums that floats don't hold.
    always=[at("highest", M=3, N=8191, K=41)],
    baseline="accepted/3_four_products_at_once.cu",
    benchmarks=[
        dict(M=1024, N=1024, K=1024),
        dict(M=2048, N=2048, K=2048),
        dict(M=4095, N=2049, K=1023),
    ],
)


MOST = 127


@problem.structure
def structure(draw, family, N, K):
    parts = draw.integers(0, 2**24 - 1, K) / 2**24
    if family == "highest":
        # All sums are the same, and come to lie beside a half: closer than floats come that were added up one by one,
        # yet farther away than the roundings of a single product.
        beside = (0.001 + 0.002 * parts) * np.where(draw.integers(0, 1, K) == 0, 1, -1)
        return dict(scale=(draw.integers(64, MOST - 1, K) + 0.5 + beside) / (MOST * MOST * N))
    # Sums of some hundred products then fill the range of a byte, and longer ones leave it.
    return dict(scale=0.0001 + 0.0029 * parts)


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
