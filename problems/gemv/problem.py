"""Matrix times vector: y = A · x."""

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

# Threads that the launch provides for each row: a warp.
WARP = 32

problem = Problem(
    title="Matrix times vector",
    difficulty="easy",
    tags=("reduction", "warp shuffle", "coalescing", "memory bound"),
    kernel="gemv_kernel",
    params=dict(
        A=array(f32, "M", "N"),
        x=array(f32, "N"),
        y=out(f32, "M"),
        M=size(1, 32768),
        N=size(1, 32768),
    ),
    constants=dict(BLOCK=256),
    # A matrix product with one column: N products in each sum.
    gates=contraction(terms="N"),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[
        dict(M=4096, N=4096),
        dict(M=16384, N=8192),
        dict(M=8191, N=4097),
    ],
)


@problem.reference
def reference(A, x):
    return A @ x


@problem.solve
def solve(launch, A, x, y, M, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(WARP * M, block), block=block, arguments=(A, x, y, M, N))


@problem.cost
def cost(M, N):
    return Cost(flops=2 * M * N, bytes=4 * (M * N + N + M))
