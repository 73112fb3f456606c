"""Zip: the sum of two vectors, element by element."""

from grader.problem import Cost, Problem, array, ceil_div, exact, f32, out, size

problem = Problem(
    title="Zip",
    difficulty="easy",
    tags=("elementwise", "memory bound"),
    kernel="zip_kernel",
    params=dict(a=array(f32, "N"), b=array(f32, "N"), output=out(f32, "N"), N=size(1, 100_000_000)),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/idle_threads.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=33_333_333)],
)


@problem.reference
def reference(a, b):
    return a + b


@problem.solve
def solve(launch, a, b, output, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(a, b, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=12 * N)
