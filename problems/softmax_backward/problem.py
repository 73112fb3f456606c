"""The gradient of softmax: from the gradient of its output to that of its input, row by row."""

from grader.problem import Cost, Problem, array, at, f32, out, scaled, size, uniform

problem = Problem(
    title="Softmax, backward",
    difficulty="medium",
    tags=("reduction", "softmax", "backward", "warp shuffle", "memory bound"),
    kernel="softmax_backward_kernel",
    params=dict(
        # The formula holds whatever the rows add up to.
        output=array(f32, "M", "N", values=uniform(0, 1)),
        upstream=array(f32, "M", "N"),
        gradient=out(f32, "M", "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "offset", "peak")),
    # Large elements far behind in long rows.
    always=[at("peak", M=3, N=100_003)],
    baseline="accepted/2_shuffles.cu",
    benchmarks=[dict(M=8192, N=1024), dict(M=65535, N=256), dict(M=512, N=50_257)],
)


@problem.reference
def reference(output, upstream):
    return output * (upstream - (output * upstream).sum(axis=1, keepdims=True))


@problem.scale
def scale(output, upstream):
    return output * (abs(upstream) + (output * abs(upstream)).sum(axis=1, keepdims=True))


@problem.solve
def solve(launch, output, upstream, gradient, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(output, upstream, gradient, M, N))


@problem.cost
def cost(M, N):
    # A product and a sum, then a difference and a product.
    return Cost(flops=4 * M * N, bytes=12 * M * N)
