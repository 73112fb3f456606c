"""Max pooling: the largest element of each window of every plane."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, choice, computed, exact, f32, out, size

problem = Problem(
    title="2D max pooling",
    difficulty="easy",
    tags=("pooling", "stencil", "coalescing", "memory bound"),
    kernel="max_pooling_kernel",
    params=dict(
        input=array(f32, "C", "H", "W"),
        output=out(f32, "C", "OH", "OW"),
        C=size(1, 65535),
        H=size(5, 4096),
        W=size(5, 4096),
        K=choice(2, 5),
        S=choice(1, 4),
        P=choice(0, 1),
        OH=computed("(H + 2 * P - K) // S + 1"),
        OW=computed("(W + 2 * P - K) // S + 1"),
    ),
    constants=dict(COLUMNS=32, ROWS=8),
    # Of many equal zeros any sign may win. Planes far below zero tell padding and start values from elements.
    gates=exact(signed_zeros=False, families=("normal", "negative", "spread", "zeros", "special", "constant")),
    # Planes beside the lowest float, and of nothing but that.
    always=[at("negative", C=6, H=9, W=11, K=3, S=1, P=1)],
    baseline="accepted/2_unrolled.cu",
    benchmarks=[
        dict(C=256, H=224, W=224, K=2, S=2, P=0),
        dict(C=1024, H=112, W=112, K=3, S=2, P=1),
        dict(C=61, H=511, W=773, K=5, S=1, P=1),
    ],
)


@problem.reference
def reference(input, K, S, P, OH, OW):
    padded = np.pad(input, ((0, 0), (P, P), (P, P)), constant_values=-np.inf)
    output = np.full_like(padded, -np.inf, shape=(len(input), OH, OW))
    for r in range(K):
        for s in range(K):
            window = padded[:, r : r + (OH - 1) * S + 1 : S, s : s + (OW - 1) * S + 1 : S]
            output = np.maximum(output, window)
    return output


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
    # Rows first, then columns: K - 1 comparisons for each of the two.
    return Cost(flops=2 * (K - 1) * C * OH * OW, bytes=4 * C * (H * W + OH * OW))
