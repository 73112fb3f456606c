"""Triangular solve: a lower triangular system of equations with many right-hand sides."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, f32, module_of, out, scalar, scaled, size, uniform

problem = Problem(
    title="Triangular solve",
    difficulty="medium",
    tags=("linear algebra", "forward substitution", "register blocking", "shared memory"),
    kernel="triangular_kernel",
    params=dict(
        A=array(f32, "N", "N", values=uniform(-1, 1)),
        B=array(f32, "N", "R"),
        X=out(f32, "N", "R"),
        N=size(1, 1024),
        R=size(1, 65535),
        # Large enough that errors don't grow from row to row.
        shift=scalar(f32, 16, 32),
    ),
    constants=dict(BLOCK=128, COLUMNS=1),
    gates=scaled(terms="N", families=("normal", "wide", "peak", "offset")),
    baseline="accepted/2_eight_rows_at_once.cu",
    benchmarks=[dict(N=1024, R=16_384), dict(N=256, R=65_535), dict(N=509, R=10_007)],
)


def solved(A, B, N, shift):
    """The triangle L, and X with L X = B."""
    xp = module_of(A)
    L = xp.tril(A) + shift * xp.eye(N)
    return L, np.linalg.solve(L, B)


@problem.reference
def reference(A, B, N, shift):
    return solved(A, B, N, shift)[1]


@problem.scale
def scale(A, B, N, shift):
    # Each row's rounding errors are in proportion to its terms; those of the rows above arrive by way of the inverse.
    L, X = solved(A, B, N, shift)
    return abs(np.linalg.inv(L)) @ (abs(L) @ abs(X))


@problem.solve
def solve(launch, A, B, X, N, R, shift):
    block, columns = launch.constant("BLOCK"), launch.constant("COLUMNS")
    launch(grid=ceil_div(R, block * columns), block=block, arguments=(A, B, X, N, R, shift))


@problem.cost
def cost(N, R):
    # Each number below the diagonal has a product and a difference with every column.
    return Cost(flops=N * N * R, bytes=4 * (N * (N + 1) // 2 + 2 * N * R))
