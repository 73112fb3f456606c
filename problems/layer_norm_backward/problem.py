"""The gradients of layer normalisation: of its input row by row, of weight and bias column by column."""

from grader.problem import Cost, Problem, array, f32, out, scaled, size, uniform

problem = Problem(
    title="Layer norm, backward",
    difficulty="hard",
    tags=("reduction", "backward", "atomics", "warp shuffle", "memory bound"),
    kernel="layer_norm_backward_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        weight=array(f32, "N"),
        # As the forward pass kept them; the formula holds whatever they are.
        mean=array(f32, "M"),
        inverse=array(f32, "M", values=uniform(0.25, 4)),
        upstream=array(f32, "M", "N"),
        gradient=out(f32, "M", "N"),
        weight_gradient=out(f32, "N"),
        bias_gradient=out(f32, "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    # Sums along rows and along columns.
    gates=scaled(terms="max(M, N)", families=("normal", "wide", "small", "constant")),
    baseline="accepted/2_block_a_row.cu",
    benchmarks=[dict(M=8192, N=1024), dict(M=65535, N=256), dict(M=2048, N=12_289)],
)


def gradients(normal, weighted, upstream, inverse, minus):
    """All three gradients; the scale of their errors is the same with sums for differences."""
    of_mean = weighted.mean(axis=1, keepdims=True)
    of_deviation = normal * (weighted * normal).mean(axis=1, keepdims=True)
    return dict(
        gradient=inverse[:, None] * (weighted + minus * (of_mean + of_deviation)),
        weight_gradient=(upstream * normal).sum(axis=0),
        bias_gradient=upstream.sum(axis=0),
    )


@problem.reference
def reference(input, weight, mean, inverse, upstream):
    normal = (input - mean[:, None]) * inverse[:, None]
    return gradients(normal, upstream * weight, upstream, inverse, -1.0)


@problem.scale
def scale(input, weight, mean, inverse, upstream):
    normal = abs(input - mean[:, None]) * inverse[:, None]
    return gradients(normal, abs(upstream * weight), abs(upstream), inverse, 1.0)


@problem.solve
def solve(launch, input, weight, mean, inverse, upstream, gradient, weight_gradient, bias_gradient, M, N):
    launch.memset(weight_gradient, 0)
    launch.memset(bias_gradient, 0)
    launch(
        grid=M,
        block=launch.constant("BLOCK"),
        arguments=(
            input,
            weight,
            mean,
            inverse,
            upstream,
            gradient,
            weight_gradient,
            bias_gradient,
            M,
            N,
        ),
    )


@problem.cost
def cost(M, N):
    # Two operations to normalise, four for the sums of the row, three for those of the columns, five for the result.
    return Cost(flops=14 * M * N, bytes=4 * (3 * M * N + 2 * M + 3 * N))
