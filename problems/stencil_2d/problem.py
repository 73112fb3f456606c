"""Five-point stencil: one step of heat spreading over a plate whose rim keeps its temperature."""

from grader.problem import Cost, Problem, array, ceil_div, f32, out, size, total

problem = Problem(
    title="2D stencil",
    difficulty="easy",
    tags=("stencil", "shared memory", "memory bound"),
    kernel="stencil_kernel",
    params=dict(input=array(f32, "H", "W"), output=out(f32, "H", "W"), H=size(1, 16384), W=size(1, 16384)),
    constants=dict(TILE=16),
    # Four neighbours, times a power of two, which rounds nothing.
    gates=total(terms=4),
    baseline="accepted/solve_2_shared_halo.cu",
    benchmarks=[dict(H=1024, W=1024), dict(H=4096, W=4096), dict(H=8191, W=8193)],
)


@problem.reference
def reference(input):
    output = input.copy()
    above, below, left, right = input[:-2, 1:-1], input[2:, 1:-1], input[1:-1, :-2], input[1:-1, 2:]
    output[1:-1, 1:-1] = 0.25 * (above + below + left + right)
    return output


@problem.solve
def solve(launch, input, output, H, W):
    tile = launch.constant("TILE")
    launch(grid=(ceil_div(W, tile), ceil_div(H, tile)), block=(tile, tile), arguments=(input, output, H, W))


@problem.cost
def cost(H, W):
    # Three additions and a multiplication.
    return Cost(flops=4 * H * W, bytes=8 * H * W)
