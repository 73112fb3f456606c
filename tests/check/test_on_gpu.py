"""The checks give the same on a GPU's arrays as on the processor's, whatever is wrong with a result."""

from pathlib import Path

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import Verdict
from grader.machine.gpus import find_gpus
from grader.problem import load_problem
from grader.problem.cases import draw_cases
from grader.problem.inputs import families, make_inputs

PROBLEMS = Path(__file__).parents[2] / "problems"

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu"),
]


def right(problem, numbers, inputs):
    return {name: problem.outputs[name].stored(value) for name, value in problem.expected(inputs, numbers).items()}


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
    problem = load_problem(PROBLEMS / name)
    sizes = {size: 200 + 3 * number for number, size in enumerate(problem.sizes)}
    for family in families(problem):
        inputs = make_inputs(problem, sizes, family, 3)
        outputs = right(problem, sizes, inputs)
        if spoil is not None:
            for values in outputs.values():
                spoil(values)
        verdict = compare_checks(problem, sizes, family, inputs, outputs)
        assert spoil is not None or verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("name", sorted(path.parent.name for path in PROBLEMS.glob("*/problem.py")))
def test_the_gpu_judges_each_problem_as_the_processor_does(name):
    problem = load_problem(PROBLEMS / name)
    for case in draw_cases(problem, 3, 2 * len(families(problem)), ()):
        inputs = make_inputs(problem, case.sizes, case.family, case.seed)
        numbers = case.numbers(problem)
        outputs = right(problem, numbers, inputs)
        assert compare_checks(problem, numbers, case.family, inputs, outputs) is Verdict.ACCEPTED, case
        for values in outputs.values():
            flat = values.reshape(-1)
            flat[-1] = flat[0] if flat[0] != flat[-1] else flat[-1] // 2 + 1
        compare_checks(problem, numbers, case.family, inputs, outputs)


def compare_checks(problem, numbers, family, inputs, outputs):
    """The verdict, after the checks on either device have said the same."""
    import cupy

    there = [{key: cupy.asarray(value) for key, value in arrays.items()} for arrays in (inputs, outputs)]
    verdict, kind, message, checks = check_case(problem, numbers, family, inputs, outputs)
    on_gpu = check_case(problem, numbers, family, *there)
    # Of a maximum of zeros, CuPy may take another one than NumPy.
    assert on_gpu[:2] == (verdict, kind), (family, on_gpu)
    assert on_gpu[2].replace("-0;", "0;") == message.replace("-0;", "0;"), family
    for here, seen in zip(checks, on_gpu[3], strict=True):
        assert (seen.wrong, seen.total, seen.gate, seen.kind, seen.map) == (
            here.wrong,
            here.total,
            here.gate,
            here.kind,
            here.map,
        )
        assert [element.index for element in seen.elements] == [element.index for element in here.elements]
    return verdict
