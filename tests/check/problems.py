"""Problems for tests of checking: the built-in ones, and small ones of other shapes."""

from pathlib import Path

import numpy as np

from grader.problem import load_problem
from grader.problem.definition import Cost, Problem
from grader.problem.gates import contraction, elementwise, exact, total
from grader.problem.inputs import make_inputs
from grader.problem.parameters import array, f32, out, size

ROOT = Path(__file__).parents[2] / "problems"
MATMUL, REDUCE, MAP, ZIP = (load_problem(ROOT / name) for name in ("matmul", "reduce", "map", "zip"))


def problem(params, gates, reference):
    """A problem with these parameters and this reference, of a size N."""
    made = Problem(
        title="Test",
        difficulty="easy",
        kernel="test_kernel",
        params={**params, "N": size(1, 100_000)},
        gates=gates,
    )
    made.reference(reference)
    made.cost(lambda N: Cost(flops=N, bytes=0))
    return made


ROW_SUMS = problem({"x": array(f32, "N", 7), "y": out(f32, 7)}, total(terms="N"), lambda x: x.sum(axis=0))
RUNNING_TOTALS = problem(
    {"x": array(f32, "N"), "y": out(f32, "N")}, total(terms="N", independent=False), lambda x: np.cumsum(x)
)
DOT = problem(
    {"x": array(f32, "N"), "y": array(f32, "N"), "z": out(f32, 1)}, contraction(terms="N"), lambda x, y: x @ y
)
LOGARITHM = problem({"x": array(f32, "N"), "y": out(f32, "N")}, elementwise(), lambda x: np.log(x))
RELU = problem({"x": array(f32, "N"), "y": out(f32, "N")}, exact(signed_zeros=False), lambda x: np.maximum(x, 0.0))
BOTH_ENDS = problem(
    {"x": array(f32, "N"), "low": out(f32, "N"), "high": out(f32, "N")},
    exact(),
    lambda x: {"low": np.minimum(x, 1.0), "high": np.maximum(x, 1.0)},
)


def case(made, family, seed=1, **sizes):
    """A case's sizes and inputs."""
    return sizes, make_inputs(made, sizes, family, seed)
