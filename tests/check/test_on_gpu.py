"""The checks give the same on a GPU's arrays as on the processor's, whatever is wrong with a result."""

from pathlib import Path

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import Verdict
from grader.machine.gpus import find_gpus
from grader.problem import load_problem
from grader.problem.inputs import families, make_inputs

PROBLEMS = Path(__file__).parents[2] / "problems"

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu"),
]


def right(problem, sizes, inputs):
    return {name: value.astype(np.float32) for name, value in problem.expected(inputs, sizes).items()}


def with_one_wrong(values):
    values.reshape(-1)[-1] += 1


def with_subnormals_flushed(values):
    values[np.abs(values) < 2.0**-126] = 0


def in_half_precision(values):
    with np.errstate(over="ignore", under="ignore"):
        values[:] = values.astype(np.float16)


def full_of_nan(values):
    values[:] = np.nan


@pytest.mark.parametrize("name", ["matmul", "reduce", "map", "zip", "transpose"])
@pytest.mark.parametrize(
    "spoil",
    [None, with_one_wrong, with_subnormals_flushed, in_half_precision, full_of_nan],
    ids=lambda spoil: "right" if spoil is None else spoil.__name__,
)
def test_the_gpu_says_what_the_processor_says(name, spoil):
    import cupy

    problem = load_problem(PROBLEMS / name)
    sizes = {size: 200 + 3 * number for number, size in enumerate(problem.sizes)}
    for family in families(problem):
        inputs = make_inputs(problem, sizes, family, 3)
        outputs = right(problem, sizes, inputs)
        if spoil is not None:
            for values in outputs.values():
                spoil(values)
        there = [{key: cupy.asarray(value) for key, value in arrays.items()} for arrays in (inputs, outputs)]
        verdict, kind, message, checks = check_case(problem, sizes, family, inputs, outputs)
        on_gpu = check_case(problem, sizes, family, *there)
        assert on_gpu[:3] == (verdict, kind, message), (family, on_gpu)
        for here, seen in zip(checks, on_gpu[3], strict=True):
            assert (seen.wrong, seen.total, seen.gate, seen.kind, seen.map) == (
                here.wrong,
                here.total,
                here.gate,
                here.kind,
                here.map,
            )
            assert [element.index for element in seen.elements] == [element.index for element in here.elements]
        if spoil is None:
            assert verdict is Verdict.ACCEPTED
