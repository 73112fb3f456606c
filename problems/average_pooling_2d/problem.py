"""Average pooling: the mean of each window of every plane, the padding left out."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, computed, f32, out, scaled, size

problem = Problem(
    title="2D average pooling",
    difficulty="easy",
    tags=("pooling", "stencil", "shared memory", "memory bound"),
    kernel="average_pooling_kernel",
    params=dict(
        input=array(f32, "C", "H", "W"),
        output=out(f32, "C", "OH", "OW"),
        C=size(1, 65535),
        H=size(8, 4096),
        W=size(8, 4096),
        K=choice(2, 8),
        S=choice(1, 8),
        P=choice(0, 1),
        OH=computed("(H + 2 * P - K) // S + 1"),
        OW=computed("(W + 2 * P - K) // S + 1"),
    ),
    constants=dict(COLUMNS=32, ROWS=8),
    gates=scaled(terms=("K", "K"), families=("normal", "wide", "offset", "constant")),
    baseline="accepted/1_simple.cu",
    benchmarks=[
        dict(C=256, H=224, W=224, K=2, S=2, P=0),
        dict(C=512, H=56, W=56, K=7, S=7, P=0),
        dict(C=61, H=511, W=773, K=5, S=1, P=1),
    ],
)


def means(input, K, S, P, OH, OW):
    """The sum of each window over the number of its elements inside the plane."""
    padded, inside = (np.pad(values, ((0, 0), (P, P), (P, P))) for values in (input, np.ones_like(input[:1])))
    total = count = 0.0
    for r in range(K):
        for s in range(K):
            window = np.s_[:, r : r + (OH - 1) * S + 1 : S, s : s + (OW - 1) * S + 1 : S]
            total, count = total + padded[window], count + inside[window]
    return total / count


@problem.reference
def reference(input, K, S, P, OH, OW):
    return means(input, K, S, P, OH, OW)


@problem.scale
def scale(input, K, S, P, OH, OW):
    return means(abs(input), K, S, P, OH, OW)


@problem.solve
def solve(launch, input, output, C, H, W, K, S, P, OH, OW):
    columns, rows = launch.constant("COLUMNS"), launch.constant("ROWS")
    launch(
        grid=(ceil_div(OW, columns), ceil_div(OH, rows), C),
        block=(columns, rows),
        arguments=(input, output, C, H, W, K, S, P, OH, OW),
    )


@problem.cost
def cost(C, H, W, K, S, P, OH, OW):
    # Rows first, then columns: K - 1 additions for each of the two, and a division.
    return Cost(flops=(2 * K - 1) * C * OH * OW, bytes=4 * C * (H * W + OH * OW))
