"""GELU: the activation function of many language models, in its tanh form."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, elementwise, f32, out, size

problem = Problem(
    title="GELU",
    difficulty="easy",
    tags=("elementwise", "activation", "memory bound", "accuracy"),
    kernel="gelu_kernel",
    params=dict(input=array(f32, "N"), output=out(f32, "N"), N=size(1, 100_000_000)),
    constants=dict(BLOCK=256),
    gates=elementwise(families=("normal", "wide", "special", "overflow")),
    baseline="accepted/vectorised.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=50_000_000)],
)


@problem.reference
def reference(input):
    # 0.5 x (1 + tanh z) is x / (1 + exp(-2 z)), without the difference of two nearly equal numbers.
    z = np.sqrt(2.0 / np.pi) * (input + 0.044715 * input**3)
    return input / (1.0 + np.exp(-2.0 * z))


@problem.solve
def solve(launch, input, output, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(N, block), block=block, arguments=(input, output, N))


@problem.cost
def cost(N):
    # Three multiplications and an addition for the polynomial, one multiplication, exponential, addition and division.
    return Cost(flops=8 * N, bytes=8 * N)
