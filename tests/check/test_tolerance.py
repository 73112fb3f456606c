"""The bounds of the gates, against values worked out by hand or in another way."""

import numpy as np
import pytest

from grader.check.tolerance import UNIT, UNIT_OF_DOUBLE, bounds, magnitudes
from grader.problem.arrays import narrow
from grader.problem.gates import contraction, elementwise, scaled
from grader.problem.parameters import array, f16, f32, f64, i32, out

from .problems import DOT, LOGARITHM, MAP, MATMUL, REDUCE, RELU, RUNNING_TOTALS, ZIP, case, problem


def test_scale_and_spread_of_a_product():
    sizes, inputs = case(MATMUL, "normal", M=5, N=9, K=4)
    reference = MATMUL.expected(inputs, sizes)
    measured = magnitudes(MATMUL, sizes, inputs, reference)["C"]
    terms = inputs["A"].astype(np.float64)[:, :, None] * inputs["B"][None, :, :]
    assert measured.scale == pytest.approx(np.abs(terms).sum(axis=1), rel=1e-12)
    assert measured.spread == pytest.approx(np.sqrt((terms**2).sum(axis=1)), rel=1e-12)


def test_g1_and_g2_by_hand():
    """Two terms, 3 · 5 + 2 · (-7) = 1: S = 29, Q = sqrt(15² + 14²)."""
    inputs = {"x": np.array([3, 2], np.float32), "y": np.array([5, -7], np.float32)}
    bound = bounds(DOT, {"N": 2}, "normal", inputs)["z"]
    assert bound.gate == "G1"
    assert bound.reference.tolist() == [1.0]
    assert bound.allowed[0] == pytest.approx(32 * UNIT * 29 + 2.0**-23)
    assert bound.aggregate == pytest.approx(5 * (8 + np.sqrt(2)) * UNIT * np.sqrt(15**2 + 14**2))


def test_g2_allowance_for_few_elements_fades():
    few, many = (
        bounds(MATMUL, sizes, "normal", inputs)["C"].aggregate
        for sizes, inputs in (
            case(MATMUL, "normal", M=1, N=16, K=1),
            case(MATMUL, "normal", M=200, N=16, K=200),
        )
    )
    typical = (8 + 4) * UNIT * 4
    assert few > 2 * typical
    assert many == pytest.approx(typical * (1 + 4 / 200), rel=0.05)


def test_errors_that_depend_on_each_other_have_no_aggregate():
    inputs = {"x": np.array([3, -4, 2], np.float32)}
    bound = bounds(RUNNING_TOTALS, {"N": 3}, "normal", inputs)["y"]
    assert bound.reference.tolist() == [3.0, -1.0, 1.0]
    one_ulp = np.array([2.0**-22, 2.0**-23, 2.0**-23])
    assert (bound.gate, bound.unit, bound.expected.tolist()) == ("G1", UNIT, [3.0, -1.0, 1.0])
    assert bound.allowed == pytest.approx(32 * UNIT * np.array([3, 7, 9]) + one_ulp)
    assert bound.aggregate == np.inf


def test_g2_leaves_room_for_the_rounding_of_short_results():
    """A result near 1 in fp16 may be off by a gap of 2^-10, which is added to what its sum may be off."""
    short = problem(
        {"x": array(f32, "N"), "y": array(f32, "N"), "z": out(f16, 1)}, contraction(terms="N"), lambda x, y: x @ y
    )
    inputs = {"x": np.array([3, 2], np.float32), "y": np.array([5, -7], np.float32)}
    long, rounded = (bounds(made, {"N": 2}, "normal", inputs)["z"] for made in (DOT, short))
    assert rounded.aggregate == pytest.approx(long.aggregate + 2.0**-10)
    assert rounded.unit == UNIT


def test_g3_is_64_units_of_the_condition():
    """For the logarithm x · d/dx log x is 1 everywhere, so the bound is 64 u · max(1, |log x|)."""
    inputs = {"x": np.array([1.0, 1.0001, 2.0, 1e-30], np.float32)}
    bound = bounds(LOGARITHM, {"N": 4}, "normal", inputs)["y"]
    expected = 64 * UNIT * np.maximum(1.0, np.abs(np.log(inputs["x"].astype(np.float64))))
    assert bound.gate == "G3"
    assert bound.allowed == pytest.approx(expected, rel=1e-6)


def test_g3_for_the_logistic_function_follows_its_condition():
    x = np.array([-80.0, -3.0, 0.0, 3.0, 80.0], np.float32)
    bound = bounds(MAP, {"N": 5}, "wide", {"input": x})["output"]
    value = 1 / (1 + np.exp(-x.astype(np.float64)))
    condition = np.maximum(1.0, np.abs(x) * (1 - value))
    assert bound.allowed == pytest.approx(64 * UNIT * value * condition, rel=1e-5)


def test_g3_adds_the_conditions_of_all_operands():
    """Of x · y both conditions are 1."""
    product = problem(
        {"x": array(f32, "N"), "y": array(f32, "N"), "z": out(f32, "N")}, elementwise(), lambda x, y: x * y
    )
    inputs = {"x": np.array([3.0], np.float32), "y": np.array([5.0], np.float32)}
    bound = bounds(product, {"N": 1}, "normal", inputs)["z"]
    assert bound.allowed == pytest.approx(64 * UNIT * 2 * 15, rel=1e-9)


def test_g3_leaves_room_for_the_rounding_of_short_results():
    short = problem({"x": array(f32, "N"), "y": out(f16, "N")}, elementwise(), lambda x: np.exp(x))
    bound = bounds(short, {"N": 1}, "normal", {"x": np.array([0.5], np.float32)})["y"]
    assert bound.allowed == pytest.approx(64 * UNIT * np.exp(0.5) + 2.0**-10, rel=1e-6)
    assert bound.unit == UNIT


def test_doubles_are_held_to_their_own_unit():
    def bound(gates):
        double = problem({"x": array(f64, "N"), "y": out(f64, "N")}, gates, lambda x: x * 1.0)
        double.scale(lambda x: abs(x))
        return bounds(double, {"N": 1}, "normal", {"x": np.array([3.0])})["y"]

    for found, gate, allowed in (
        (bound(elementwise()), "G3", 64 * UNIT_OF_DOUBLE * 3),
        (bound(scaled(terms=4)), "G4", (64 + 8 * 2) * UNIT_OF_DOUBLE * 3 + 2.0**-51),
    ):
        assert (found.gate, found.unit) == (gate, UNIT_OF_DOUBLE)
        assert found.allowed[0] == pytest.approx(allowed, rel=1e-6)


def test_integers_leave_no_doubt_and_fractions_near_a_tie_some():
    whole = problem({"x": array(f32, "N"), "y": out(i32, "N")}, elementwise(), lambda x: x)
    bound = bounds(whole, {"N": 2}, "normal", {"x": np.array([1000.0, 1000.25], np.float32)})["y"]
    assert (bound.gate, bound.expected.tolist()) == ("G3", [1000, 1000])
    assert bound.allowed.tolist() == [0.5, 0.5 + 64 * UNIT * 1000.25]


def test_results_below_the_smallest_normal_number_may_be_flushed():
    bound = bounds(MAP, {"N": 1}, "wide", {"input": np.array([-100.0], np.float32)})["output"]
    assert bound.reference[0] < bound.allowed[0] == 2.0**-120


def test_undefined_slopes_leave_the_bound_finite():
    inputs = {"x": np.array([0.0, -1.0], np.float32)}
    bound = bounds(LOGARITHM, {"N": 2}, "normal", inputs)["y"]
    assert np.isneginf(bound.expected[0])
    assert np.isnan(bound.expected[1])


@pytest.mark.parametrize(
    ("problem", "family", "gate", "signed_zeros"),
    [
        (MATMUL, "exact", "G0", False),
        (REDUCE, "exact", "G0", False),
        (ZIP, "normal", "G3", True),
        (RELU, "normal", "G3", False),
    ],
)
def test_which_cases_are_exact(problem, family, gate, signed_zeros):
    sizes, inputs = case(problem, family, **dict.fromkeys(problem.sizes, 9))
    (bound,) = bounds(problem, sizes, family, inputs).values()
    assert (bound.gate, bound.exact) == (gate, True)
    assert np.all(bound.signed_zeros == signed_zeros)
    assert np.isinf(bound.aggregate)


def test_exact_families_have_references_that_float32_holds():
    for made in (MATMUL, REDUCE):
        sizes, inputs = case(made, "exact", **dict.fromkeys(made.sizes, 50))
        (bound,) = bounds(made, sizes, "exact", inputs).values()
        assert np.array_equal(bound.expected.astype(np.float64), bound.reference)


def test_two_roundings_equal_one():
    """Sums of two floats rounded to float64, then float32, against NumPy's own single rounding."""
    sizes, inputs = case(ZIP, "spread", N=20000)
    _, special = case(ZIP, "special", N=20000)
    for pair in (inputs, special):
        a, b = pair["a"], pair["b"]
        with np.errstate(over="ignore"):
            sums = a + b
        assert np.array_equal(narrow(a.astype(np.float64) + b, "float32"), sums)
    assert sizes == {"N": 20000}


def test_results_beyond_float32_become_infinite():
    assert np.isposinf(narrow(np.array([1e39]), "float32")).all()


def test_a_factor_that_underflows_before_it_is_multiplied_is_no_error():
    """x / (1 + exp(-x)) in float32: the exponential of 90 is infinite, and 90 · exp(-90) is a normal number."""
    silu = problem({"x": array(f32, "N"), "y": out(f32, "N")}, elementwise(), lambda x: x / (1 + np.exp(-x)))
    inputs = {"x": np.array([-90.0, -87.0], np.float32)}
    bound = bounds(silu, {"N": 2}, "normal", inputs)["y"]
    assert 2.0**-126 < abs(bound.reference[0]) < bound.allowed[0]
    assert abs(bound.reference[1]) > bound.allowed[1]
