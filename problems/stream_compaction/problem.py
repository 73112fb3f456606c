"""Stream compaction: the positive elements of an array, close together and in their order."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, f32, i32, module_of, out, size

problem = Problem(
    title="Stream compaction",
    difficulty="hard",
    tags=("compaction", "scan", "look-back", "host loop", "memory bound"),
    kernel="compaction_kernel",
    params=dict(
        input=array(f32, "N"),
        output=out(f32, "N"),
        count=out(i32, 1),
        N=size(1, 50_000_000),
    ),
    constants=dict(BLOCK=1024),
    # "special" has zeros of both signs and the smallest floats; of "negative" elements none is kept.
    gates=exact(families=("normal", "special", "negative", "spread")),
    baseline="accepted/solve_3_look_back.cu",
    # More than 2,048 blocks of 2,048 elements: two levels of these are not enough.
    always=[at(N=4_200_001)],
    benchmarks=[dict(N=50_000_000), dict(N=16_777_216), dict(N=1_000_003)],
)


@problem.reference
def reference(input, N):
    kept = input[input > 0]
    zeros = module_of(input).zeros(N - kept.size)
    return dict(output=module_of(input).concatenate([kept, zeros]), count=np.full_like(input, kept.size)[:1])


@problem.solve
def solve(launch, input, output, count, N):
    launch.memset(output, 0)
    launch.memset(count, 0)
    # One block: its threads can wait for each other between two pieces.
    launch(grid=1, block=launch.constant("BLOCK"), arguments=(input, output, count, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=8 * N + 4)
