"""One-dimensional convolution with zeros beyond both ends."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, out, size

problem = Problem(
    title="1D convolution",
    difficulty="easy",
    tags=("convolution", "shared memory", "constant memory"),
    kernel="convolution_kernel",
    params=dict(
        input=array(f32, "N"),
        weights=array(f32, "K"),
        output=out(f32, "N"),
        N=size(1, 50_000_000),
        K=size(1, 1023),
    ),
    constants=dict(BLOCK=256),
    # Linear in input and in weights; up to K products in each sum, fewer at the ends.
    gates=contraction(terms="K"),
    baseline="accepted/3_shared_halo.cu",
    benchmarks=[
        dict(N=1_000_000, K=1023),
        dict(N=10_000_019, K=63),
        dict(N=33_554_432, K=7),
    ],
)


@problem.reference
def reference(input, weights, N, K):
    output = np.zeros_like(input)
    for j in range(K):
        # Elements i with an input at i + shift.
        shift = j - K // 2
        first, last = max(0, -shift), min(N, N - shift)
        if first < last:
            output[first:last] += weights[j] * input[first + shift : last + shift]
    return output


@problem.solve
def solve(launch, input, weights, output, N, K):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(input, weights, output, N, K))


@problem.cost
def cost(N, K):
    return Cost(flops=2 * N * K, bytes=4 * (2 * N + K))
