"""Strided max-pooling over the rows of a matrix, with the place of each maximum."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, computed, exact, f32, flag, i32, out, size

problem = Problem(
    title="Strided max-pooling",
    difficulty="medium",
    tags=("pooling", "stride", "several outputs"),
    kernel="pool_kernel",
    params=dict(
        input=array(f32, "M", "W"),
        output=out(f32, "M", "OUT"),
        places=out(i32, "M", "OUT"),
        M=size(1, 10_000),
        W=size(1, 100_000),
        K=size(1, 31),
        S=size(1, 15),
        # A flag that is 1 lets the last window reach over the row's end.
        partial=flag(),
        OUT=computed("(W - K + partial * (S - 1)) // S + 1"),
    ),
    constants=dict(BLOCK=128),
    gates=exact(),
    benchmarks=[dict(M=1000, W=4096, K=3, S=2, partial=0)],
)


@problem.reference
def reference(input, K, S, OUT):
    padded = np.pad(input, ((0, 0), (0, K + S)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, K, axis=1)[:, : S * OUT : S][:, :OUT]
    places = windows.argmax(axis=2)
    return {
        "output": np.take_along_axis(windows, places[..., None], axis=2)[..., 0],
        "places": places + S * np.arange(OUT),
    }


@problem.solve
def solve(launch, input, output, places, M, W, K, S, partial, OUT):
    block = launch.constant("BLOCK")
    grid = (ceil_div(OUT, block), M)
    launch(grid=grid, block=block, arguments=(input, output, places, M, W, K, S, partial, OUT))


@problem.cost
def cost(M, W, K, OUT):
    return Cost(flops=M * OUT * K, bytes=4 * M * W + 8 * M * OUT)
