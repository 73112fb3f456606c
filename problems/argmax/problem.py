"""Argmax: the place of the largest element of every row."""

from grader.problem import Cost, Problem, array, at, exact, f32, i32, out, size

problem = Problem(
    title="Argmax of rows",
    difficulty="medium",
    tags=("reduction", "warp shuffle", "memory bound"),
    kernel="argmax_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        output=out(i32, "M"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    # Negative floats order their bits the other way round, and a largest one that starts at any number is above them.
    gates=exact(families=("normal", "negative", "zeros", "special", "constant", "spread", "peak")),
    # Rows beside the lowest float, and of nothing but that.
    always=[at("negative", M=6, N=300)],
    baseline="accepted/2_shared_tree.cu",
    benchmarks=[
        dict(M=4096, N=4096),
        dict(M=1023, N=8191),
        dict(M=1, N=1_000_000),
    ],
)


@problem.reference
def reference(input):
    return input.argmax(axis=1)


@problem.solve
def solve(launch, input, output, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(input, output, M, N))


@problem.cost
def cost(M, N):
    return Cost(flops=M * N, bytes=4 * M * N + 4 * M)
