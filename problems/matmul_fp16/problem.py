"""Matrix multiplication of halves, with sums in single precision."""

from grader.problem import Cost, Problem, array, ceil_div, contraction, f16, out, size

problem = Problem(
    title="Half-precision matrix multiplication",
    difficulty="medium",
    tags=("fp16", "tensor cores", "tiling", "shared memory", "compute bound"),
    kernel="matmul_fp16_kernel",
    params=dict(
        A=array(f16, "M", "N"),
        B=array(f16, "N", "K"),
        C=out(f16, "M", "K"),
        M=size(1, 8192),
        N=size(1, 8192),
        K=size(1, 8192),
    ),
    constants=dict(TILE=16),
    gates=contraction(terms="N"),
    benchmarks=[
        dict(M=1024, N=1024, K=1024),
        dict(M=2048, N=2048, K=2048),
        dict(M=4095, N=2049, K=1023),
    ],
)


@problem.reference
def reference(A, B):
    return A @ B


@problem.solve
def solve(launch, A, B, C, M, N, K):
    tile = launch.constant("TILE")
    launch(grid=(ceil_div(K, tile), ceil_div(M, tile)), block=(tile, tile), arguments=(A, B, C, M, N, K))


@problem.baseline
def baseline(library, A, B, C):
    library.matmul(A, B, C)


@problem.cost
def cost(M, N, K):
    return Cost(flops=2 * M * N * K, bytes=2 * (M * N + N * K + M * K))
