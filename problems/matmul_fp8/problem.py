"""Matrix multiplication of 8-bit floats, with a scale for each row of either factor."""

import numpy as np

from grader.problem import Cost, Problem, array, bf16, ceil_div, e4m3, f32, out, scaled, size, uniform

problem = Problem(
    title="fp8 matrix multiplication",
    difficulty="hard",
    tags=("fp8", "quantisation", "tensor cores", "tiling", "compute bound"),
    kernel="matmul_fp8_kernel",
    params=dict(
        A=array(e4m3, "M", "N"),
        B=array(e4m3, "K", "N"),
        scale_a=array(f32, "M", values=uniform(0.001, 0.02)),
        scale_b=array(f32, "K", values=uniform(0.001, 0.02)),
        C=out(bf16, "M", "K"),
        M=size(1, 8192),
        N=size(1, 8192),
        K=size(1, 8192),
    ),
    constants=dict(TILE=16),
    # Sums of 8-bit floats leave the range of a half with wide values and with peaks.
    gates=scaled(terms="N", families=("normal", "wide", "peak", "opposed", "constant")),
    baseline="accepted/solve_3_tensor_cores.cu",
    benchmarks=[
        dict(M=2048, N=2048, K=2048),
        dict(M=4096, N=4096, K=4096),
        dict(M=4095, N=2049, K=1023),
    ],
)

LOST, STEP = 32, 32
"""Tensor cores of Ada and Hopper move the products of one step to a common exponent and keep some 13 bits behind it.
For steps of 32 terms that are added up in fp32 after 128, that is up to 2^-12 of the terms' magnitudes. The gate allows
72 roundings of 2^-24 or more: times 32 that is above half of it for any number of terms, and all of it from 64 on."""
BESIDE_THE_LARGEST = 4 * LOST
"""Where one product of a step is far above the others, each of these loses as much as it does: up to 2^-13 of the
largest, which is most of the magnitudes. Such errors have either sign, and are 2^-11 of it for all 31 together, and
2^-9 at most among the millions of a large matrix."""


@problem.reference
def reference(A, B, scale_a, scale_b):
    return A @ B.T * scale_a[:, None] * scale_b


@problem.scale
def scale(A, B, scale_a, scale_b):
    terms = LOST * (abs(A) @ abs(B).T)
    steps = BESIDE_THE_LARGEST * (largest(A) ** 2 @ largest(B).T ** 2) ** 0.5
    return (terms + steps) * scale_a[:, None] * scale_b


def largest(rows):
    """The largest magnitude of each row in each step."""
    return np.stack([abs(rows[:, first : first + STEP]).max(axis=1) for first in range(0, rows.shape[1], STEP)], axis=1)


@problem.solve
def solve(launch, A, B, scale_a, scale_b, C, M, N, K):
    tile = launch.constant("TILE")
    grid = (ceil_div(K, tile), ceil_div(M, tile))
    launch(grid=grid, block=(tile, tile), arguments=(A, B, scale_a, scale_b, C, M, N, K))


@problem.cost
def cost(M, N, K):
    return Cost(flops=2 * M * N * K, bytes=M * N + K * N + 2 * M * K + 4 * (M + K))
