"""Outputs of other types than float32: whole numbers, halves, and formulas with a scale of their own."""

import numpy as np
import pytest

from grader.check import check_case
from grader.check.tolerance import UNIT, bounds
from grader.check.trivial import accepted_trivial_kernels, trivial_outputs
from grader.core.errors import JudgeError
from grader.core.verdict import Verdict, WrongKind
from grader.problem.gates import contraction, exact, scaled
from grader.problem.parameters import array, f16, f32, f64, i8, i32, out, u8

from .problems import case, problem

COUNTS = problem({"x": array(f32, "N"), "n": out(i32, 2)}, exact(), lambda x: np.array([(x < 0).sum(), (x > 0).sum()]))
HALVED = problem({"x": array(u8, "N"), "y": out(i8, "N")}, exact(), lambda x: x / 4)
DOT16 = problem(
    {"x": array(f16, "N"), "y": array(f16, "N"), "z": out(f16, 1)}, contraction(terms="N"), lambda x, y: x @ y
)
NORM = problem(
    {"x": array(f32, "N"), "y": out(f32, "N")},
    scaled(terms="N"),
    lambda x: x / np.sqrt((x * x).mean()),
)


@NORM.scale
def scale(x):
    return 3 * abs(x)


def check(made, inputs, family="normal", **outputs):
    return check_case(made, {"N": len(inputs["x"])}, family, inputs, outputs)


def test_whole_numbers_have_to_be_the_very_ones():
    inputs = {"x": np.array([-1, 0, 2, 3], np.float32)}
    assert check(COUNTS, inputs, n=np.array([1, 2], np.int32))[0] is Verdict.ACCEPTED
    verdict, kind, message, (output,) = check(COUNTS, inputs, n=np.array([1, 3], np.int32))
    assert (verdict, kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert message == "n[1] is 3, expected 2; 1 of 2 elements are wrong"
    assert output.worst == 2.0


def test_large_whole_numbers_are_told_in_all_digits():
    many = problem({"x": array(f32, "N"), "n": out(i32, 2)}, exact(), lambda x: np.array([2**31 - 1, -(2**31)]))
    inputs = {"x": np.zeros(3, np.float32)}
    assert check(many, inputs, n=np.array([2**31 - 1, -(2**31)], np.int32))[0] is Verdict.ACCEPTED
    message = check(many, inputs, n=np.array([2**31 - 2, -(2**31)], np.int32))[2]
    assert message.startswith("n[0] is 2147483646, expected 2147483647")


def test_an_output_of_another_type_is_the_judges_failure():
    with pytest.raises(JudgeError, match=r"gave int64 \(2,\), int32 \(2,\) was asked for"):
        check(COUNTS, {"x": np.zeros(3, np.float32)}, n=np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda x: np.float32(3) * x.astype(np.float32), WrongKind.LOW_PRECISION),
        (lambda x: -np.float32(3) * x.astype(np.float32), WrongKind.WRONG_VALUE),
        (lambda x: np.full_like(x, np.nan), WrongKind.WRONG_VALUE),
    ],
)
def test_numbers_beyond_float_are_infinite_in_it(made, kind):
    tripled = problem({"x": array(f64, "N"), "y": out(f64, "N")}, exact(), lambda x: 3 * x)
    for values in ([1.3e38], [1.3e38] * 100, [-1.3e38, 1.3e38]):
        x = np.array(values)
        with np.errstate(over="ignore"):
            given = made(x).astype(np.float64)
        assert check(tripled, {"x": x}, y=given)[:2] == (Verdict.WRONG_ANSWER, kind)


def test_fractions_are_rounded_and_ties_go_either_way():
    """4, 5, 6 and 7 quarters: 1, 1.25, 1.5, 1.75."""
    inputs = {"x": np.array([4, 5, 6, 7], np.uint8)}
    for right in ([1, 1, 2, 2], [1, 1, 1, 2]):
        assert check(HALVED, inputs, y=np.array(right, np.int8))[0] is Verdict.ACCEPTED
    for wrong, at in (([1, 1, 2, 1], 3), ([1, 2, 2, 2], 1), ([0, 1, 2, 2], 0)):
        message = check(HALVED, inputs, y=np.array(wrong, np.int8))[2]
        assert message.startswith(f"y[{at}] is {wrong[at]}")


def test_halves_get_one_place_of_their_own_beside_the_sums_rounding():
    inputs = {"x": np.array([3, 2], np.float16), "y": np.array([5, -7], np.float16)}
    bound = bounds(DOT16, {"N": 2}, "normal", inputs)["z"]
    assert bound.expected.dtype == np.float16
    assert bound.allowed[0] == pytest.approx(32 * UNIT * 29 + 2.0**-10)
    for value, right in ((1.0, True), (1 + 2.0**-10, True), (1 + 2.0**-9, False)):
        verdict = check(DOT16, inputs, z=np.array([value], np.float16))[0]
        assert (verdict is Verdict.ACCEPTED) == right


def in_turn(x, y, dtype):
    total = dtype(0)
    for a, b in zip(x, y, strict=True):
        total = dtype(total + dtype(a) * dtype(b))
    return np.array([total], np.float16)


@pytest.mark.parametrize("n", [1, 2, 50, 3000])
@pytest.mark.parametrize("family", ["exact", "normal"])
def test_sums_of_halves_in_single_precision_pass(n, family):
    sizes, inputs = case(DOT16, family, N=n)
    assert inputs["x"].dtype == np.float16
    result = in_turn(inputs["x"].astype(np.float32), inputs["y"].astype(np.float32), np.float32)
    assert check_case(DOT16, sizes, family, inputs, {"z": result})[0] is Verdict.ACCEPTED


def test_sums_kept_in_halves_don_t():
    for seed in range(5):
        sizes, inputs = case(DOT16, "exact", seed, N=1000)
        result = in_turn(inputs["x"], inputs["y"], np.float16)
        assert check_case(DOT16, sizes, "exact", inputs, {"z": result})[0] is Verdict.WRONG_ANSWER


def test_a_scaled_bound_by_hand():
    """Four terms: 64 + 8 · 2 units of three times the input, and the last place of the result."""
    inputs = {"x": np.array([1, -1, 1, 1], np.float32)}
    bound = bounds(NORM, {"N": 4}, "normal", inputs)["y"]
    assert bound.gate == "G4"
    assert bound.allowed == pytest.approx([80 * UNIT * 3 + 2.0**-23] * 4)


def test_low_precision_is_told_with_the_units_of_the_scale():
    sizes, inputs = case(NORM, "normal", N=400)
    x = inputs["x"]
    right = (x / np.sqrt(np.float32((x * x).mean()))).astype(np.float32)
    assert check_case(NORM, sizes, "normal", inputs, {"y": right})[0] is Verdict.ACCEPTED
    _, kind, message, _ = check_case(NORM, sizes, "normal", inputs, {"y": right.astype(np.float16).astype(np.float32)})
    assert kind is WrongKind.LOW_PRECISION
    assert "where 224 u are allowed" in message


def test_a_formula_that_overflows_is_no_sign_of_low_precision():
    """Where a sum of such large numbers is infinite, fp16 is to blame; a formula has other ways to get there."""
    inputs = {"x": np.linspace(2.0**16, 2.0**17, 50, dtype=np.float32)}
    assert check(NORM, inputs, y=np.full(50, np.inf, np.float32))[1] is WrongKind.WRONG_VALUE


def test_trivial_kernels_write_the_outputs_type():
    sizes, inputs = case(HALVED, "normal", N=40)
    made = dict(trivial_outputs(HALVED, sizes, inputs))
    assert set(made) == {"zeros", "the constant 1", "the mean of x", "a copy of x"}
    assert all(outputs["y"].dtype == np.int8 and outputs["y"].shape == (40,) for outputs in made.values())
    # What does not fit becomes the nearest end, as a saturating conversion does.
    assert made["a copy of x"]["y"].max() == 127
    assert accepted_trivial_kernels(HALVED, 3) == ()
    nothing = problem({"x": array(u8, "N"), "y": out(u8, "N")}, exact(), lambda x: x)
    assert accepted_trivial_kernels(nothing, 3) == ("a copy of x",)


def test_indices_stay_whole_while_others_are_rounded_for_evidence():
    gathered = problem(
        {"at": array(i32, "N"), "x": array(f32, "N"), "y": array(f32, "N"), "z": out(f32, 1)},
        contraction(terms="N"),
        lambda at, x, y: x[at] @ y,
    )
    gathered.structure(lambda draw, N: {"at": draw.order(N)})
    sizes, inputs = case(gathered, "normal", N=300)
    x, y = (inputs[name].astype(np.float16).astype(np.float64) for name in "xy")
    result = np.array([x[inputs["at"]] @ y], np.float32)
    _, kind, message, _ = check_case(gathered, sizes, "normal", inputs, {"z": result})
    assert kind is WrongKind.LOW_PRECISION
    assert "TF32 or fp16 inputs" in message
