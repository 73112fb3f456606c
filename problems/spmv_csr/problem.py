"""Sparse matrix times vector, the matrix in compressed rows (CSR)."""

import numpy as np

from grader.problem import Cost, Problem, array, below, ceil_div, contraction, f32, i32, module_of, out, size

problem = Problem(
    title="Sparse matrix times vector",
    difficulty="medium",
    tags=("sparse", "CSR", "irregular", "warp shuffle", "memory bound"),
    kernel="spmv_kernel",
    params=dict(
        offsets=array(i32, "M+1"),
        columns=array(i32, "NNZ", values=below("N")),
        values=array(f32, "NNZ"),
        x=array(f32, "N"),
        y=out(f32, "M"),
        M=size(1, 10_000_000),
        N=size(1, 10_000_000),
        NNZ=size(1, 200_000_000),
    ),
    constants=dict(BLOCK=256),
    # One row may have all the entries.
    gates=contraction(terms="NNZ"),
    baseline="accepted/2_lanes_by_length.cu",
    benchmarks=[
        dict(M=500_000, N=500_000, NNZ=4_000_000),
        dict(M=1_000_000, N=1_000_000, NNZ=10_000_000),
        dict(M=100_003, N=99_991, NNZ=1_000_003),
    ],
)


@problem.structure
def structure(draw, family, M, NNZ):
    # Cuts anywhere: neighbouring ones may be equal, which makes an empty row. A third of the rows share one cut, so
    # that some row is empty in almost every matrix, and another is long.
    cuts = draw.integers(0, NNZ, M - 1)
    cuts[: M // 3] = draw.one(0, NNZ)
    if family == "exact":
        # A row with half of all entries; it would be what is timed.
        first = draw.one(0, NNZ // 2)
        cuts[(cuts > first) & (cuts < first + NNZ // 2)] = first
    return dict(offsets=np.concatenate([[0], np.sort(cuts), [NNZ]]))


@problem.reference
def reference(offsets, columns, values, x, M, NNZ):
    # The row of an entry is the last one that begins at it or before it.
    rows = np.searchsorted(offsets, module_of(offsets).arange(NNZ), side="right") - 1
    return np.bincount(rows, weights=values * x[columns], minlength=M)


@problem.solve
def solve(launch, offsets, columns, values, x, y, M, N, NNZ):
    block = launch.constant("BLOCK")
    # A warp for each row; whoever needs fewer threads lets the others rest.
    launch(grid=ceil_div(32 * M, block), block=block, arguments=(offsets, columns, values, x, y, M, N, NNZ))


@problem.cost
def cost(M, N, NNZ):
    return Cost(flops=2 * NNZ + M, bytes=4 * (M + 1) + 8 * NNZ + 4 * N + 4 * M)
