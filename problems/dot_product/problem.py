"""Dot product: the sum of the products of two vectors."""

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="Dot product",
    difficulty="easy",
    tags=("reduction", "shared memory", "atomics", "memory bound"),
    kernel="dot_product_kernel",
    params=dict(a=array(f32, "N"), b=array(f32, "N"), output=out(f32, 1), N=size(1, 100_000_000)),
    constants=dict(BLOCK=256),
    # A matrix product with one row and one column: linear in each array, N products in the one sum.
    gates=contraction(terms="N"),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=100_000_000)],
)


@problem.reference
def reference(a, b):
    return a @ b


@problem.solve
def solve(launch, a, b, output, N):
    block = launch.constant("BLOCK")
    # Blocks may add their sums to output[0] with atomicAdd, so it starts at 0.
    launch.memset(output, 0)
    # At most 1024 blocks: longer vectors need a grid-stride loop.
    launch(grid=min(ceil_div(N, block), 1024), block=block, arguments=(a, b, output, N))


@problem.cost
def cost(N):
    return Cost(flops=2 * N, bytes=4 * (2 * N + 1))
