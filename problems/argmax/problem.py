"""Argmax: the place of the largest element of every row."""

from grader.problem import Cost, Problem, array, exact, f32, i32, out, size, uniform

problem = Problem(
    title="Argmax of rows",
    difficulty="medium",
    tags=("reduction", "warp shuffle", "memory bound"),
    kernel="argmax_kernel",
    params=dict(
        # Mostly negative: short rows often have no other elements, and these order their bits the other way round.
        input=array(f32, "M", "N", values=uniform(-50.0, 3.0)),
        output=out(i32, "M"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/3_packed_pairs.cu",
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
