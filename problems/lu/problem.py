"""LU factorisation of one matrix whose diagonal is larger than the rest of each row: no pivots are needed."""

import numpy as np

from grader.problem import Cost, Problem, array, f32, module_of, out, scaled, size, uniform

problem = Problem(
    title="LU factorisation",
    difficulty="hard",
    tags=("linear algebra", "Gaussian elimination", "blocking", "host loop"),
    kernel="lu_kernel",
    params=dict(
        A=array(f32, "N", "N", values=uniform(-1, 1)),
        LU=out(f32, "N", "N"),
        N=size(1, 2048),
    ),
    constants=dict(BLOCK=1024),
    gates=scaled(terms="N", families=("normal", "constant")),
    baseline="accepted/solve_3_tiles.cu",
    benchmarks=[dict(N=2048), dict(N=1024), dict(N=1531)],
)


def factored(A, N):
    """L, with ones on its diagonal, and U."""
    xp = module_of(A)
    LU = A + (N + 1) * xp.eye(N)
    for k in range(N - 1):
        LU[k + 1 :, k] /= LU[k, k]
        LU[k + 1 :, k + 1 :] -= LU[k + 1 :, k, None] * LU[k, k + 1 :]
    return np.tril(LU, -1) + xp.eye(N), np.triu(LU)


@problem.reference
def reference(A, N):
    L, U = factored(A, N)
    return np.tril(L, -1) + U


@problem.scale
def scale(A, N):
    # Roundings are a change of the matrix by |L| |U|. Brought on both sides by the inverses, its upper half is how much
    # U changes, its lower half how much L does.
    L, U = factored(A, N)
    change = abs(np.linalg.inv(L)) @ (abs(L) @ abs(U)) @ abs(np.linalg.inv(U))
    return np.tril(abs(L) @ np.tril(change, -1), -1) + np.triu(np.triu(change) @ abs(U))


@problem.solve
def solve(launch, A, LU, N):
    # One block: its threads can wait for each other between two columns.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(A, LU, N))


@problem.cost
def cost(N):
    # A product and a difference for each number and each column or row before it.
    return Cost(flops=2 * N * N * N // 3 + N * N, bytes=8 * N * N)
