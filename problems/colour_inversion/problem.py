"""Colour inversion: the negative of an image of bytes, its transparency left alone."""

from grader.problem import Cost, Problem, array, ceil_div, exact, out, size, u8

problem = Problem(
    title="Colour inversion",
    difficulty="easy",
    tags=("image", "bytes", "elementwise", "memory bound"),
    kernel="invert_kernel",
    params=dict(input=array(u8, "H", "W", 4), output=out(u8, "H", "W", 4), H=size(1, 16384), W=size(1, 16384)),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/3_four_pixels.cu",
    benchmarks=[
        dict(H=4096, W=4096),
        dict(H=2047, W=2049),
    ],
)


@problem.reference
def reference(input):
    output = 255 - input
    output[..., 3] = input[..., 3]
    return output


@problem.solve
def solve(launch, input, output, H, W):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(H * W, block), block=block, arguments=(input, output, H, W))


@problem.cost
def cost(H, W):
    return Cost(flops=3 * H * W, bytes=8 * H * W)
