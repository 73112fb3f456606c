"""Transpose: rows of a matrix become columns."""

from grader.problem import Cost, Problem, array, ceil_div, exact, f32, out, size

problem = Problem(
    title="Matrix transpose",
    difficulty="easy",
    tags=("coalescing", "shared memory", "bank conflicts", "memory bound"),
    kernel="transpose_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        output=out(f32, "N", "M"),
        M=size(1, 16384),
        N=size(1, 16384),
    ),
    constants=dict(TILE=16, ROWS=16),
    # Every element is copied, so every bit has to arrive, the sign of a zero included.
    gates=exact(),
    baseline="accepted/3_few_rows.cu",
    benchmarks=[
        dict(M=4096, N=4096),
        dict(M=8192, N=8192),
        dict(M=4095, N=10007),
    ],
)


@problem.reference
def reference(input):
    return input.T


@problem.solve
def solve(launch, input, output, M, N):
    tile = launch.constant("TILE")
    launch(
        grid=(ceil_div(N, tile), ceil_div(M, tile)),
        block=(tile, launch.constant("ROWS")),
        arguments=(input, output, M, N),
    )


@problem.cost
def cost(M, N):
    return Cost(flops=0, bytes=8 * M * N)
