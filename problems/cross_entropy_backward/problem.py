"""The gradient of cross-entropy: softmax of every row, less 1 at the label, times the gradient of the row's loss."""

import numpy as np

from grader.problem import Cost, Problem, array, at, below, f32, i32, module_of, out, scaled, size

problem = Problem(
    title="Cross-entropy, backward",
    difficulty="medium",
    tags=("reduction", "softmax", "backward", "warp shuffle", "memory bound"),
    kernel="cross_entropy_backward_kernel",
    params=dict(
        logits=array(f32, "M", "N"),
        labels=array(i32, "M", values=below("N")),
        upstream=array(f32, "M"),
        gradient=out(f32, "M", "N"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "offset", "negative", "constant", "peak")),
    # Large elements far behind in long rows.
    always=[at("peak", M=3, N=100_003)],
    baseline="accepted/2_shared_trees.cu",
    benchmarks=[dict(M=8192, N=1024), dict(M=65535, N=256), dict(M=512, N=50_257)],
)


def parts(logits, labels):
    """The distance of each element from its row's largest, the probabilities, and 1 at each label."""
    distance = logits.max(axis=1, keepdims=True) - logits
    e = np.exp(-distance)
    xp = module_of(logits)
    return distance, e / e.sum(axis=1, keepdims=True), xp.arange(logits.shape[1]) == labels[:, None]


@problem.reference
def reference(logits, labels, upstream):
    _, probability, at_label = parts(logits, labels)
    return (probability - at_label) * upstream[:, None]


@problem.scale
def scale(logits, labels, upstream):
    # exp(-d) magnifies the rounding of d by d; the sum has the errors of all its terms, as much as each is part of it.
    distance, probability, at_label = parts(logits, labels)
    error = probability * (1.0 + distance + (probability * distance).sum(axis=1, keepdims=True))
    return (error + at_label) * abs(upstream[:, None])


@problem.solve
def solve(launch, logits, labels, upstream, gradient, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(logits, labels, upstream, gradient, M, N))


@problem.cost
def cost(M, N):
    # Comparison, subtraction, exponential and addition, and a product for the result.
    return Cost(flops=5 * M * N, bytes=8 * M * N + 8 * M)
