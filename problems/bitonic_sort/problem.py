"""Bitonic sort: all elements of an array, from small to large."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, f32, out, size

problem = Problem(
    title="Bitonic sort",
    difficulty="hard",
    tags=("sorting", "sorting network", "shared memory", "host loop"),
    kernel="bitonic_sort_kernel",
    params=dict(
        input=array(f32, "N"),
        output=out(f32, "N"),
        N=size(1, 100_000_000),
    ),
    constants=dict(BLOCK=1024),
    gates=exact(signed_zeros=False, families=("normal", "negative", "special", "spread")),
    baseline="accepted/solve_3_tiles_in_shared_memory.cu",
    benchmarks=[dict(N=16_777_216), dict(N=1_048_576), dict(N=10_000_019)],
)


@problem.reference
def reference(input):
    return np.sort(input)


@problem.solve
def solve(launch, input, output, N):
    # One block: its threads can wait for each other between two steps.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, output, N))


@problem.cost
def cost(N):
    # The comparisons of the network; another way to sort needs fewer.
    levels = (N - 1).bit_length()
    return Cost(flops=max(N * levels * (levels + 1) // 4, 1), bytes=8 * N)
