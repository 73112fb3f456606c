"""One step of a gated recurrent unit: the next state from an input and the last state."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, f32, out, scaled, size, uniform

problem = Problem(
    title="GRU step",
    difficulty="medium",
    tags=("recurrent network", "tiling", "shared memory", "fusion"),
    kernel="gru_kernel",
    params=dict(
        x=array(f32, "B", "D"),
        h=array(f32, "B", "H"),
        W=array(f32, 3, "H", "D", values=uniform(-0.25, 0.25)),
        U=array(f32, 3, "H", "H", values=uniform(-0.25, 0.25)),
        w_bias=array(f32, 3, "H", values=uniform(-1, 1)),
        u_bias=array(f32, 3, "H", values=uniform(-1, 1)),
        next=out(f32, "B", "H"),
        B=size(1, 1024),
        D=size(1, 1024),
        H=size(1, 1024),
    ),
    constants=dict(TILE=16, EACH=1),
    gates=scaled(terms="D + H", families=("normal", "wide", "small", "peak")),
    baseline="accepted/2_shared_tiles.cu",
    # The longest state, whose matrix is beyond what is drawn.
    always=[at("normal", B=2, D=3, H=1024)],
    benchmarks=[dict(B=1024, D=1024, H=1024), dict(B=256, D=512, H=1024), dict(B=61, D=701, H=509)],
)


def sigmoid(a):
    return 0.5 + 0.5 * np.tanh(0.5 * a)


def sums(x, h, W, U, w_bias, u_bias):
    """Both sums of every gate: those of the input and those of the state, with their biases."""
    of_x = [x @ W[g].T + w_bias[g] for g in range(3)]
    of_h = [h @ U[g].T + u_bias[g] for g in range(3)]
    return of_x, of_h


def gates(of_x, of_h):
    r, z = sigmoid(of_x[0] + of_h[0]), sigmoid(of_x[1] + of_h[1])
    return r, z, np.tanh(of_x[2] + r * of_h[2])


@problem.reference
def reference(x, h, W, U, w_bias, u_bias):
    _, z, n = gates(*sums(x, h, W, U, w_bias, u_bias))
    return (1 - z) * n + z * h


@problem.scale
def scale(x, h, W, U, w_bias, u_bias):
    # Each sum is off by as much as its terms are large; what that changes is the slope of what comes behind it.
    of_x, of_h = sums(x, h, W, U, w_bias, u_bias)
    r, z, n = gates(of_x, of_h)
    large_x, large_h = sums(abs(x), abs(h), abs(W), abs(U), abs(w_bias), abs(u_bias))
    of_r = r * (1 - r) * (large_x[0] + large_h[0])
    of_z = z * (1 - z) * (large_x[1] + large_h[1])
    of_n = (1 - n * n) * (large_x[2] + r * large_h[2] + of_r * abs(of_h[2]))
    return abs(n) + abs(h) + abs(h - n) * of_z + (1 - z) * of_n


@problem.solve
def solve(launch, x, h, W, U, w_bias, u_bias, next, B, D, H):
    tile, each = launch.constant("TILE"), launch.constant("EACH")
    launch(
        grid=(ceil_div(H, tile), ceil_div(B, tile * each)),
        block=(tile, tile),
        arguments=(x, h, W, U, w_bias, u_bias, next, B, D, H),
    )


@problem.cost
def cost(B, D, H):
    # Six matrix products; three exponentials, two divisions and a dozen more for each result.
    return Cost(flops=6 * B * H * (D + H) + 20 * B * H, bytes=4 * (B * D + 2 * B * H + 3 * H * (D + H) + 6 * H))
