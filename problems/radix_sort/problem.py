"""Radix sort: pairs of a key and a value, by key, equal keys in their order."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, integers, out, size, u32

problem = Problem(
    title="Radix sort of pairs",
    difficulty="hard",
    tags=("sorting", "scan", "histogram", "host loop", "memory bound"),
    kernel="radix_sort_kernel",
    params=dict(
        keys=array(u32, "N"),
        values=array(i32, "N", values=integers(-(2**31), 2**31 - 1)),
        sorted_keys=out(u32, "N"),
        sorted_values=out(i32, "N"),
        N=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    # Of "special" and "spread" keys many are equal, and only a stable sort has their values in order.
    gates=exact(families=("normal", "special", "spread")),
    baseline="accepted/solve_4_counts_before_ranks.cu",
    benchmarks=[dict(N=16_777_216), dict(N=1_048_576), dict(N=10_000_019)],
)


@problem.reference
def reference(keys, values):
    order = np.argsort(keys, kind="stable")
    return dict(sorted_keys=keys[order], sorted_values=values[order])


@problem.solve
def solve(launch, keys, values, sorted_keys, sorted_values, N):
    # One block: its threads can wait for each other between two steps.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(keys, values, sorted_keys, sorted_values, N))


@problem.cost
def cost(N):
    # Four digits of 8 bits, each of which is looked at to count and to move.
    return Cost(flops=8 * N, bytes=16 * N)
