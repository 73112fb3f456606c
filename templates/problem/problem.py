"""Example: a scaled vector added to another."""

from grader.problem import Cost, Problem, array, ceil_div, elementwise, f32, out, scalar, size

problem = Problem(
    title="Example",
    difficulty="easy",
    tags=("elementwise", "scalar"),
    kernel="example_kernel",
    # The kernel's parameters in their order. A dimension may be an expression of sizes, such as "N // 2 + 1".
    params=dict(
        N=size(1, 100_000_000),
        # Another number in each case, passed by value.
        a=scalar(f32, -4, 4),
        x=array(f32, "N"),
        y=array(f32, "N"),
        result=out(f32, "N"),
    ),
    constants=dict(BLOCK=256),
    # Rounded once with a fused multiply-add, and twice without.
    gates=elementwise(),
    benchmarks=[dict(N=1_000_000)],
)


@problem.reference
def reference(a, x, y):
    return a * x + y


@problem.solve
def solve(launch, N, a, x, y, result):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(N, a, x, y, result))


@problem.cost
def cost(N):
    return Cost(flops=2 * N, bytes=12 * N)
