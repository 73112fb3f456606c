"""COO to CSR: the entries of a sparse matrix, in any order, brought row after row."""

import numpy as np

from grader.problem import Cost, Problem, array, below, exact, f32, i32, module_of, out, size

problem = Problem(
    title="COO to CSR",
    difficulty="hard",
    tags=("sparse", "CSR", "sorting", "scan", "host loop", "memory bound"),
    kernel="coo_to_csr_kernel",
    params=dict(
        rows=array(i32, "NNZ"),
        columns=array(i32, "NNZ", values=below("N")),
        values=array(f32, "NNZ"),
        offsets=out(i32, "M+1"),
        sorted_columns=out(i32, "NNZ"),
        sorted_values=out(f32, "NNZ"),
        M=size(1, 4_000_000),
        N=size(1, 4_000_000),
        NNZ=size(1, 40_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(families=("normal", "special", "hub", "apart")),
    baseline="accepted/solve_3_radix_sort.cu",
    benchmarks=[
        dict(M=1_000_000, N=1_000_000, NNZ=20_000_000),
        dict(M=65_536, N=65_536, NNZ=4_194_304),
        dict(M=2_000_003, N=999_983, NNZ=10_000_019),
    ],
)


FAR = 65536
"""Rows this far apart are the same to a program that keeps 16 bits of them."""


@problem.structure
def structure(draw, family, M, NNZ):
    rows = draw.integers(0, M - 1, NNZ)
    if family == "special":
        # In order already, or in the opposite one.
        rows = np.sort(rows)[:: 1 if draw.one(0, 1) else -1].copy()
    elif family == "hub":
        # Three of four entries belong to one row, and stand among the others.
        rows[draw.integers(0, 3, NNZ) > 0] = draw.one(0, M - 1)
    elif family == "apart":
        # Empty rows at both ends, and between any two others.
        step = draw.one(2, 40)
        rows = np.minimum(draw.one(1, M // 3 + 1) + rows // 3 // step * step, M - 1)
    # Among neighbours some are far apart.
    before = rows[7:-1:16]
    rows[8::16] = np.where(before + FAR < M, before + FAR, rows[8::16])
    return dict(rows=rows)


@problem.reference
def reference(rows, columns, values, M):
    xp = module_of(rows)
    order = np.argsort(rows, kind="stable")
    ends = xp.cumsum(np.bincount(rows, minlength=M))
    offsets = xp.concatenate([xp.zeros(1, int), ends])
    return dict(offsets=offsets, sorted_columns=columns[order], sorted_values=values[order])


@problem.solve
def solve(launch, rows, columns, values, offsets, sorted_columns, sorted_values, M, N, NNZ):
    launch.memset(offsets, 0)
    # One block: its threads can wait for each other between two pieces.
    launch(
        grid=1,
        block=launch.constant("BLOCK"),
        arguments=(rows, columns, values, offsets, sorted_columns, sorted_values, M, N, NNZ),
    )


@problem.cost
def cost(M, N, NNZ):
    # An entry is counted, and moved by each of three digits of its row; a row's count enters a sum.
    return Cost(flops=4 * NNZ + M, bytes=20 * NNZ + 4 * (M + 1))
