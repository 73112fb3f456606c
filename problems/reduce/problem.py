"""Reduction: the sum of a vector."""

from grader.problem import Cost, Problem, array, ceil_div, f32, out, size, total

problem = Problem(
    title="Reduction",
    difficulty="medium",
    tags=("shared memory", "atomics", "memory bound"),
    kernel="reduction_kernel",
    params=dict(input=array(f32, "N"), output=out(f32, 1), N=size(1, 100_000_000)),
    constants=dict(BLOCK=256),
    gates=total(terms="N"),
    baseline="accepted/4_vectorised.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=100_000_000)],
)


@problem.reference
def reference(input):
    return input.sum()


@problem.solve
def solve(launch, input, output, N):
    block = launch.constant("BLOCK")
    # Blocks may add their sums to output[0] with atomicAdd, so it starts at 0.
    launch.memset(output, 0)
    # At most 1024 blocks: a longer input needs a grid-stride loop.
    launch(grid=min(ceil_div(N, block), 1024), block=block, arguments=(input, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=4 * (N + 1))
