"""Cross-entropy of every row: how surprised a classifier is by the right class."""

import numpy as np

from grader.problem import Cost, Problem, array, at, below, f32, i32, module_of, out, scaled, size

problem = Problem(
    title="Cross-entropy",
    difficulty="medium",
    tags=("reduction", "softmax", "warp shuffle", "memory bound", "accuracy"),
    kernel="cross_entropy_kernel",
    params=dict(
        logits=array(f32, "M", "N"),
        labels=array(i32, "M", values=below("N")),
        loss=out(f32, "M"),
        M=size(1, 65535),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="N", families=("normal", "wide", "offset", "negative", "constant", "peak")),
    # Large elements far behind in long rows.
    always=[at("peak", M=3, N=100_003)],
    baseline="accepted/3_online_vectorised.cu",
    benchmarks=[dict(M=8192, N=2048), dict(M=65535, N=256), dict(M=2048, N=50_257)],
)


def distances(logits, labels):
    """How far each element is below its row's largest, and the one of the label."""
    distance = logits.max(axis=1, keepdims=True) - logits
    return distance, distance[module_of(logits).arange(len(logits)), labels]


@problem.reference
def reference(logits, labels):
    distance, own = distances(logits, labels)
    return np.log(np.exp(-distance).sum(axis=1)) + own


@problem.scale
def scale(logits, labels):
    # exp(-d) magnifies the rounding of d by d; the logarithm turns the sum's relative error into an absolute one.
    distance, own = distances(logits, labels)
    e = np.exp(-distance)
    total = e.sum(axis=1)
    return 1.0 + (e * distance).sum(axis=1) / total + np.log(total) + own


@problem.solve
def solve(launch, logits, labels, loss, M, N):
    launch(grid=M, block=launch.constant("BLOCK"), arguments=(logits, labels, loss, M, N))


@problem.cost
def cost(M, N):
    # Comparison, subtraction, exponential and addition.
    return Cost(flops=4 * M * N, bytes=4 * M * N + 8 * M)
