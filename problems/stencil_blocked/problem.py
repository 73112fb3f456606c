"""Many steps of a five-point stencil in one launch: heat spreading over a plate whose rim keeps its temperature."""

from grader.problem import Cost, Problem, array, ceil_div, f32, out, scalar, scaled, size

problem = Problem(
    title="2D stencil, blocked in time",
    difficulty="hard",
    tags=("stencil", "temporal blocking", "shared memory", "warp shuffle", "registers"),
    kernel="steps_kernel",
    params=dict(
        input=array(f32, "H", "W"),
        output=out(f32, "H", "W"),
        H=size(1, 8192),
        W=size(1, 8192),
        STEPS=size(1, 16),
        # All factors of a step are positive up to a quarter, so that nothing grows.
        rate=scalar(f32, 0.0625, 0.25),
    ),
    constants=dict(TILE=32, BLOCK=256),
    gates=scaled(terms="STEPS", families=("normal", "wide", "peak", "offset")),
    baseline="accepted/2_only_what_is_needed.cu",
    benchmarks=[
        dict(H=4096, W=4096, STEPS=16),
        dict(H=8192, W=8192, STEPS=4),
        dict(H=2047, W=3001, STEPS=11),
    ],
)


def spread(input, STEPS, rate):
    plate = input.copy()
    for _ in range(STEPS):
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] += rate * (around - 4 * plate[1:-1, 1:-1])
    return plate


@problem.reference
def reference(input, STEPS, rate):
    return spread(input, STEPS, rate)


@problem.scale
def scale(input, STEPS, rate):
    return spread(abs(input), STEPS, rate)


@problem.solve
def solve(launch, input, output, H, W, STEPS, rate):
    tile, block = launch.constant("TILE"), launch.constant("BLOCK")
    launch(grid=(ceil_div(W, tile), ceil_div(H, tile)), block=block, arguments=(input, output, H, W, STEPS, rate))


@problem.cost
def cost(H, W, STEPS):
    # Three sums, a product and a difference, a product and a sum for each cell and step.
    return Cost(flops=7 * H * W * STEPS, bytes=8 * H * W)
