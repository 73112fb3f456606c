"""SwiGLU: one half of a gated layer, the SiLU of a gate times a value."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, elementwise, f32, out, size

problem = Problem(
    title="SwiGLU",
    difficulty="easy",
    tags=("elementwise", "activation", "memory bound"),
    kernel="swiglu_kernel",
    params=dict(
        gate=array(f32, "N"),
        value=array(f32, "N"),
        output=out(f32, "N"),
        N=size(1, 100_000_000),
    ),
    constants=dict(BLOCK=256),
    # silu(x) has no cancellation: its exponential, addition, division and the product round five times in all, while 64
    # roundings are allowed, and more where x times the slope of exp magnifies the rounding of x.
    gates=elementwise(families=("normal", "wide", "special", "overflow")),
    baseline="accepted/3_vectorised.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=33_333_333)],
)


@problem.reference
def reference(gate, value):
    return gate / (1.0 + np.exp(-gate)) * value


@problem.solve
def solve(launch, gate, value, output, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(gate, value, output, N))


@problem.cost
def cost(N):
    # A negation, an exponential, an addition, a division and a multiplication.
    return Cost(flops=5 * N, bytes=12 * N)
