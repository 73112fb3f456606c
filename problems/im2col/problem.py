"""Im2col: the windows of an image as columns of a matrix, so that a convolution becomes a matrix product."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, computed, exact, f32, out, size

problem = Problem(
    title="Im2col",
    difficulty="medium",
    tags=("convolution", "indexing", "coalescing", "memory bound"),
    kernel="im2col_kernel",
    params=dict(
        input=array(f32, "C", "H", "W"),
        output=out(f32, "C", "K", "K", "OH", "OW"),
        C=size(1, 2048),
        H=size(5, 2048),
        W=size(5, 2048),
        K=choice(1, 5),
        S=choice(1, 3),
        P=choice(0, 2),
        OH=computed("(H + 2 * P - K) // S + 1"),
        OW=computed("(W + 2 * P - K) // S + 1"),
    ),
    constants=dict(BLOCK=256),
    # Every element is copied, so every bit has to arrive.
    gates=exact(),
    baseline="accepted/1_simple.cu",
    benchmarks=[
        dict(C=64, H=224, W=224, K=3, S=1, P=1),
        dict(C=512, H=56, W=56, K=5, S=2, P=2),
        dict(C=61, H=127, W=331, K=4, S=1, P=0),
    ],
)


@problem.reference
def reference(input, K, S, P, OH, OW):
    padded = np.pad(input, ((0, 0), (P, P), (P, P)))
    output = np.zeros_like(input, shape=(len(input), K, K, OH, OW))
    for r in range(K):
        for s in range(K):
            output[:, r, s] = padded[:, r : r + (OH - 1) * S + 1 : S, s : s + (OW - 1) * S + 1 : S]
    return output


@problem.solve
def solve(launch, input, output, C, H, W, K, S, P, OH, OW):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(C * K * K * OH * OW, block), block=block, arguments=(input, output, C, H, W, K, S, P, OH, OW))


@problem.cost
def cost(C, H, W, K, S, P, OH, OW):
    return Cost(flops=0, bytes=4 * C * (H * W + K * K * OH * OW))
