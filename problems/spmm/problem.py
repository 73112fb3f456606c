"""Sparse matrix times dense matrix, the sparse one in compressed rows (CSR)."""

import numpy as np

from grader.problem import Cost, Problem, array, below, ceil_div, choice, contraction, f32, i32, module_of, out, size

problem = Problem(
    title="Sparse matrix times dense matrix",
    difficulty="medium",
    tags=("sparse", "CSR", "irregular", "warp shuffle", "memory bound"),
    kernel="spmm_kernel",
    params=dict(
        offsets=array(i32, "M+1"),
        columns=array(i32, "M", "DEGREE", values=below("N")),
        values=array(f32, "M", "DEGREE"),
        B=array(f32, "N", "K"),
        C=out(f32, "M", "K"),
        M=size(1, 1_000_000),
        N=size(1, 1_000_000),
        K=size(1, 1024),
        # The entries of a row on average.
        DEGREE=choice(1, 64),
    ),
    constants=dict(ROWS=8),
    # One row may have all the entries.
    gates=contraction(terms=("M", "DEGREE")),
    baseline="accepted/solve_2_four_columns_a_lane.cu",
    benchmarks=[
        dict(M=100_000, N=100_000, K=64, DEGREE=10),
        dict(M=20_000, N=20_000, K=128, DEGREE=64),
        dict(M=50_021, N=30_011, K=33, DEGREE=19),
    ],
)


@problem.structure
def structure(draw, family, M, DEGREE):
    entries = M * DEGREE
    # Cuts anywhere: neighbouring ones may be equal, which makes an empty row. A third of the rows share one cut, so
    # that some row is empty in almost every matrix, and another is long.
    cuts = draw.integers(0, entries, M - 1)
    cuts[: M // 3] = draw.one(0, entries)
    if family == "exact":
        # A row with half of all entries, or with as many as a few lanes can do in a tenth of a second. It would be
        # what is timed.
        most = min(entries // 2, 100_000)
        first = draw.one(0, entries - most)
        cuts[(cuts > first) & (cuts < first + most)] = first
    return dict(offsets=np.concatenate([[0], np.sort(cuts), [entries]]))


@problem.reference
def reference(offsets, columns, values, B, M, K):
    columns, values = columns.ravel(), values.ravel()
    # The row of an entry is the last one that begins at it or before it.
    rows = np.searchsorted(offsets, module_of(offsets).arange(columns.size), side="right") - 1
    return np.stack([np.bincount(rows, weights=values * B[columns, k], minlength=M) for k in range(K)], axis=1)


@problem.solve
def solve(launch, offsets, columns, values, B, C, M, N, K, DEGREE):
    rows = launch.constant("ROWS")
    # A warp for each row and 32 columns of C.
    grid = (ceil_div(M, rows), ceil_div(K, 32))
    launch(grid=grid, block=(32, rows), arguments=(offsets, columns, values, B, C, M, N, K, DEGREE))


@problem.cost
def cost(M, N, K, DEGREE):
    return Cost(flops=2 * M * DEGREE * K, bytes=4 * (M + 1) + 8 * M * DEGREE + 4 * N * K + 4 * M * K)
