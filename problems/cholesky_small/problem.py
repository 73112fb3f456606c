"""Cholesky factorisation of many small matrices."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, f32, module_of, out, scalar, scaled, size, uniform

problem = Problem(
    title="Small Cholesky factorisations",
    difficulty="medium",
    tags=("linear algebra", "batched", "warp shuffle", "registers"),
    kernel="cholesky_kernel",
    params=dict(
        A=array(f32, "BATCH", "N", "N", values=uniform(-1, 1)),
        L=out(f32, "BATCH", "N", "N"),
        BATCH=size(1, 30_000),
        N=size(1, 32),
        # More than the other numbers of a row together: every matrix is positive definite.
        ridge=scalar(f32, 33, 64),
    ),
    constants=dict(WARPS=4),
    gates=scaled(terms="N", families=("normal", "constant")),
    baseline="accepted/3_columns_in_registers.cu",
    benchmarks=[dict(BATCH=30_000, N=32), dict(BATCH=30_000, N=16), dict(BATCH=20_011, N=27)],
)


def factored(A, N, ridge):
    lower = np.tril(A)
    below = np.tril(A, -1)
    return np.linalg.cholesky(lower + below.transpose(0, 2, 1) + ridge * module_of(A).eye(N))


@problem.reference
def reference(A, N, ridge):
    return factored(A, N, ridge)


@problem.scale
def scale(A, N, ridge):
    # Roundings are a change of the matrix by |L| |L|'; the factor changes by L times the lower half of what the inverse
    # makes of that on both sides.
    L = factored(A, N, ridge)
    size, inverse = abs(L), abs(np.linalg.inv(L))
    change = inverse @ (size @ size.transpose(0, 2, 1)) @ inverse.transpose(0, 2, 1)
    return size @ np.tril(change)


@problem.solve
def solve(launch, A, L, BATCH, N, ridge):
    warps = launch.constant("WARPS")
    # A warp for each matrix.
    launch(grid=ceil_div(BATCH, warps), block=(32, warps), arguments=(A, L, BATCH, N, ridge))


@problem.cost
def cost(BATCH, N):
    # A product and a difference for each number and each column before it, then a division or a root.
    return Cost(flops=BATCH * (N * N * N // 3 + N * N), bytes=4 * BATCH * (N * (N + 1) // 2 + N * N))
