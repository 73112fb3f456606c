"""One step of AdamW: new weights and moments from the gradient."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, elementwise, f32, out, scalar, size, uniform

problem = Problem(
    title="Adam step",
    difficulty="easy",
    tags=("elementwise", "optimiser", "memory bound", "vectorised"),
    kernel="adam_kernel",
    params=dict(
        weight=array(f32, "N"),
        gradient=array(f32, "N"),
        first=array(f32, "N"),
        # A mean of squares is never negative.
        second=array(f32, "N", values=uniform(0, 4)),
        new_weight=out(f32, "N"),
        new_first=out(f32, "N"),
        new_second=out(f32, "N"),
        N=size(1, 100_000_000),
        rate=scalar(f32, 0.0001, 0.1),
        beta1=scalar(f32, 0.5, 0.95),
        beta2=scalar(f32, 0.5, 0.999),
        epsilon=scalar(f32, 0.00001, 0.01),
        decay=scalar(f32, 0, 0.5),
        bias1=scalar(f32, 0.05, 1),
        bias2=scalar(f32, 0.001, 1),
    ),
    constants=dict(BLOCK=256),
    gates=elementwise(),
    baseline="accepted/2_constants_first.cu",
    benchmarks=[dict(N=1_000_000), dict(N=16_777_216), dict(N=33_333_333)],
)


@problem.reference
def reference(weight, gradient, first, second, rate, beta1, beta2, epsilon, decay, bias1, bias2):
    new_first = beta1 * first + (1 - beta1) * gradient
    new_second = beta2 * second + (1 - beta2) * gradient**2
    step = new_first / bias1 / (np.sqrt(new_second / bias2) + epsilon)
    return dict(new_weight=weight - rate * (step + decay * weight), new_first=new_first, new_second=new_second)


@problem.solve
def solve(launch, N, **parameters):
    block = launch.constant("BLOCK")
    arrays = ("weight", "gradient", "first", "second", "new_weight", "new_first", "new_second")
    numbers = ("rate", "beta1", "beta2", "epsilon", "decay", "bias1", "bias2")
    arguments = (*(parameters[name] for name in arrays), N, *(parameters[name] for name in numbers))
    launch(grid=ceil_div(N, block), block=block, arguments=arguments)


@problem.cost
def cost(N):
    # Three operations for each moment and a square, two divisions, a root, an addition and a division, four more.
    return Cost(flops=16 * N, bytes=28 * N)
