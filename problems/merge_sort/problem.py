"""Merge sort: keys from small to large, equal ones in their order, and where each of them came from."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, integers, out, size

problem = Problem(
    title="Merge sort",
    difficulty="hard",
    tags=("sorting", "merge path", "binary search", "shared memory", "host loop", "memory bound"),
    kernel="merge_sort_kernel",
    params=dict(
        keys=array(i32, "N", values=integers(-(2**31), 2**31 - 1)),
        sorted_keys=out(i32, "N"),
        places=out(i32, "N"),
        N=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    # Of "special" and "spread" keys many are equal, and only a stable sort has their places in order.
    gates=exact(families=("normal", "special", "spread")),
    baseline="accepted/solve_3_merge_path.cu",
    benchmarks=[dict(N=16_777_216), dict(N=1_048_576), dict(N=10_000_019)],
)


@problem.reference
def reference(keys):
    order = np.argsort(keys, kind="stable")
    return dict(sorted_keys=keys[order], places=order)


@problem.solve
def solve(launch, keys, sorted_keys, places, N):
    # One block: its threads can wait for each other between two levels.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(keys, sorted_keys, places, N))


@problem.cost
def cost(N):
    # The comparisons of Batcher's network of merges; merging in order needs fewer.
    levels = (N - 1).bit_length()
    return Cost(flops=N * levels * max(levels - 1, 0) // 4 + N, bytes=12 * N)
