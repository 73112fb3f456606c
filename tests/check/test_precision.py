"""Right, imprecise and faulty kernels, simulated: each is accepted, or named for what it is."""

import numpy as np
import pytest

from grader.check import check_case
from grader.check.formats import BF16, FP16, keep_bits
from grader.core.verdict import Verdict, WrongKind
from grader.problem.inputs import families, make_inputs

from . import simulated
from .problems import MAP, MATMUL, REDUCE, ZIP, case

MATMUL_SIZES = ((1, 7, 1), (5, 3, 4), (33, 17, 20), (16, 64, 16), (20, 300, 31))
VECTOR_SIZES = (2, 17, 64, 256, 1000)
WORK = {
    "matmul": (MATMUL, [dict(zip("MNK", size, strict=True)) for size in MATMUL_SIZES]),
    "reduce": (REDUCE, [{"N": n} for n in VECTOR_SIZES]),
    "map": (MAP, [{"N": n} for n in VECTOR_SIZES]),
    "zip": (ZIP, [{"N": n} for n in VECTOR_SIZES]),
}
RIGHT = {
    ("matmul", "sequential"): simulated.matmul,
    ("matmul", "tree"): simulated.matmul_tree,
    ("matmul", "3xTF32"): simulated.matmul_three_tf32,
    ("reduce", "sequential"): simulated.total_sequential,
    ("reduce", "tree"): simulated.total_tree,
    ("map", "plain"): simulated.logistic,
    ("map", "by magnitude"): simulated.logistic_other,
    ("map", "fast exponential"): simulated.logistic_fast,
    ("zip", "plain"): lambda a, b: a + b,
}


def named(table):
    return {(problem, name): kernel for problem, kernels in table.items() for name, kernel in kernels.items()}


IMPRECISE = named(
    {
        "matmul": simulated.IMPRECISE_MATMULS,
        "reduce": simulated.IMPRECISE_TOTALS,
        "map": simulated.IMPRECISE_MAPS,
        "zip": simulated.IMPRECISE_ZIPS,
    }
)
FAULTY = named(
    {
        "matmul": simulated.FAULTY_MATMULS,
        "reduce": simulated.FAULTY_TOTALS,
        "map": simulated.FAULTY_MAPS,
        "zip": simulated.FAULTY_ZIPS,
    }
)


def outcomes(name, kernel, seeds=2):
    """Verdict and kind of every case of a simulated kernel: all sizes, families and seeds."""
    problem, all_sizes = WORK[name]
    (output,) = problem.outputs
    for sizes in all_sizes:
        for family in families(problem):
            for seed in range(seeds):
                inputs = make_inputs(problem, sizes, family, seed)
                with np.errstate(over="ignore", invalid="ignore"):
                    got = np.asarray(kernel(*inputs.values()), np.float32)
                verdict, kind, message, _ = check_case(problem, sizes, family, inputs, {output: got})
                yield verdict, kind, message, sizes, family


@pytest.mark.parametrize(("problem", "name"), RIGHT)
def test_right_kernels_are_accepted(problem, name):
    for verdict, _, message, sizes, family in outcomes(problem, RIGHT[problem, name], seeds=4):
        assert verdict is Verdict.ACCEPTED, (message, sizes, family)


@pytest.mark.parametrize(("problem", "name"), IMPRECISE)
def test_imprecise_kernels_are_named_so(problem, name):
    seen = list(outcomes(problem, IMPRECISE[problem, name]))
    for _, kind, message, sizes, family in seen:
        # A lone element can be right by luck; it is never called an ordinary wrong value.
        assert kind in (None, WrongKind.LOW_PRECISION), (message, sizes, family)
    caught = sum(kind is WrongKind.LOW_PRECISION for _, kind, *_ in seen)
    assert caught >= 0.8 * len(seen)


@pytest.mark.parametrize(("problem", "name"), FAULTY)
def test_faulty_kernels_are_never_called_imprecise_throughout(problem, name):
    kinds = [kind for _, kind, *_ in outcomes(problem, FAULTY[problem, name])]
    wrong = [kind for kind in kinds if kind is not None]
    if name == "no grid stride":
        # Right until the input is longer than the grid.
        assert not wrong
        return
    assert wrong
    assert sum(kind is WrongKind.LOW_PRECISION for kind in wrong) <= 0.25 * len(wrong)


def test_a_reduction_that_stops_after_the_first_pass_of_its_grid():
    sizes, inputs = case(REDUCE, "normal", N=300_000)
    got = simulated.FAULTY_TOTALS["no grid stride"](inputs["input"])
    assert check_case(REDUCE, sizes, "normal", inputs, {"output": got})[1] is WrongKind.WRONG_VALUE


@pytest.mark.parametrize("name", ["one term short", "swapped", "missing last tile"])
def test_a_faulty_product_of_many_elements_is_a_wrong_value(name):
    for family in families(MATMUL):
        sizes, inputs = case(MATMUL, family, M=33, N=150, K=20)
        got = simulated.FAULTY_MATMULS[name](inputs["A"], inputs["B"])
        assert check_case(MATMUL, sizes, family, inputs, {"C": got})[1] is WrongKind.WRONG_VALUE


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("fp16 inputs", "TF32 or fp16 inputs (2^-11)"),
        ("tf32 truncated", "TF32 inputs (2^-10)"),
        ("bf16 inputs", "bf16 inputs (2^-8)"),
        ("bf16 truncated", "bf16 inputs (2^-7)"),
    ],
)
@pytest.mark.parametrize("family", ["exact", "normal"])
def test_the_format_of_the_inputs_is_named(name, cause, family):
    sizes, inputs = case(MATMUL, family, M=20, N=40, K=30)
    got = simulated.IMPRECISE_MATMULS[name](inputs["A"], inputs["B"])
    _, _, message, _ = check_case(MATMUL, sizes, family, inputs, {"C": got})
    assert message.endswith(f"errors of this size come from {cause}")
    assert ("where 0 u are allowed" if family == "exact" else "where 32 u are allowed") in message


def test_the_format_of_the_sums_is_named():
    sizes, inputs = case(MATMUL, "normal", M=20, N=40, K=30)
    got = simulated.IMPRECISE_MATMULS["fp16 inputs and sums"](inputs["A"], inputs["B"])
    assert "results kept in fp16 (2^-11)" in check_case(MATMUL, sizes, "normal", inputs, {"C": got})[2]


def test_constants_are_not_taken_for_half_precision():
    """0 and 1 are fp16 numbers, and in a long sum they are not far off."""
    sizes, inputs = case(REDUCE, "exact", N=100_000)
    for value in (0, 1):
        got = {"output": np.array([value], np.float32)}
        assert check_case(REDUCE, sizes, "exact", inputs, got)[1] is WrongKind.WRONG_VALUE


def test_one_wrong_element_among_many_is_not_imprecise():
    sizes, inputs = case(MAP, "wide", N=500)
    right = simulated.logistic(inputs["input"])
    at = int(np.argmin(right))
    got = right.copy()
    got[at] = 1e-5
    assert check_case(MAP, sizes, "wide", inputs, {"output": got})[1] is WrongKind.WRONG_VALUE


def test_rounding_to_formats():
    x = np.array([1.0 + 2.0**-11, 1.0 + 3 * 2.0**-11, -1.0 - 2.0**-9, 65519.0, 65520.0, np.inf, np.nan], np.float32)
    assert FP16.round(x)[:5].tolist() == [1.0, 1 + 2.0**-9, -1 - 2.0**-9, 65504.0, np.inf]
    assert keep_bits(10, nearest=True)(x)[:4].tolist() == [1.0, 1 + 2.0**-9, -1 - 2.0**-9, 65504.0]
    assert keep_bits(10, nearest=False)(x)[:4].tolist() == [1.0, 1 + 2.0**-10, -1 - 2.0**-9, 65504.0]
    assert BF16.round(x)[:4].tolist() == [1.0, 1.0, -1.0, 65536.0]
    for round_to in (FP16.round, BF16.round, keep_bits(10, nearest=True), keep_bits(7, nearest=False)):
        assert np.isposinf(round_to(x)[5])
        assert np.isnan(round_to(x)[6])
