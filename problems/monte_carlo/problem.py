"""Monte Carlo: pi, by counting the random points inside of a quarter of a circle."""

from grader.problem import Cost, Problem, array, ceil_div, exact, i32, integers, out, size

SIDE = 32768

problem = Problem(
    title="Monte Carlo estimate of pi",
    difficulty="easy",
    tags=("reduction", "atomics", "monte carlo", "memory bound"),
    kernel="monte_carlo_kernel",
    params=dict(
        # Whole numbers, so that no rounding decides on which side of the circle a point lies.
        x=array(i32, "N", values=integers(0, SIDE - 1)),
        y=array(i32, "N", values=integers(0, SIDE - 1)),
        inside=out(i32, 1),
        N=size(1, 100_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[
        dict(N=16_777_216),
        dict(N=1_000_003),
    ],
)


@problem.reference
def reference(x, y):
    return (x * x + y * y < SIDE**2).sum()


@problem.solve
def solve(launch, x, y, inside, N):
    block = launch.constant("BLOCK")
    launch.memset(inside, 0)
    # At most 1024 blocks: a longer input needs a grid-stride loop.
    launch(grid=min(ceil_div(N, block), 1024), block=block, arguments=(x, y, inside, N))


@problem.cost
def cost(N):
    # Two multiplications, an addition, a comparison and the count.
    return Cost(flops=5 * N, bytes=8 * N + 4)
