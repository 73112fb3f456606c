"""The words for what is wrong, of outputs whose errors are made up."""

from __future__ import annotations

import numpy as np
import pytest

from grader.check.compare import Comparison, compare
from grader.check.explain import changed, low_precision, number, unwritten, wrong_value
from grader.check.precision import LowPrecision
from grader.check.tolerance import UNIT, Bound, Magnitudes

CAUSE = LowPrecision("sums in half precision")


def found(
    got: list[float], expected: list[float], *, never_written: int = 0, exact: bool = False
) -> tuple[Bound, Comparison]:
    """A bound that allows nothing beyond the expected values, and these results compared with it."""
    wanted = np.array(expected)
    bound = Bound("G1", wanted.astype(np.float32), wanted, np.full(wanted.shape, 1e-12), exact=exact)
    missing = np.arange(len(got)) >= len(got) - never_written
    return bound, compare(bound, np.array(got, np.float32), missing)


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (7.0, "int32", "7"),
        (7.0, "uint8", "7"),
        (0.1, "float32", "0.1"),
        (0.1, "float64", "0.1"),
        (3.0, "float16", "3"),
        (np.inf, "float32", "infinity"),
        (-np.inf, "float32", "-infinity"),
        (np.nan, "float32", "NaN"),
    ],
)
def test_numbers_have_the_fewest_digits(value: float, dtype: str, text: str) -> None:
    assert number(value, dtype) == text


def test_a_changed_input_names_all_outputs() -> None:
    assert changed("A", (1, 2), ["C", "D"]) == (
        "the kernel changed the input array A, first at A[1,2]; inputs are read only, results go to C and D"
    )


def test_an_array_of_two_that_was_never_written() -> None:
    _, comparison = found([0, 0], [1, 1], never_written=2)
    assert unwritten("y", comparison) == "y was never written"


def test_a_value_that_prints_as_the_expected_one() -> None:
    bound, comparison = found([1.0, 5.0], [1.0 + 2**-30, 5.0])
    assert wrong_value("y", bound, comparison) == (
        "y[0] is off by 9.3e-10, more than rounding explains; 1 of 2 elements are wrong"
    )


def test_one_nan_and_many() -> None:
    one, many = (wrong_value("y", *found(got, [1.0, 2.0, 3.0])) for got in ([np.nan, 2, 9], [np.nan, np.nan, 3]))
    assert one.startswith("y[0] is NaN, expected 1; 2 of 3 elements are wrong. NaN comes from 0/0")
    assert many.startswith("y[0] is NaN, expected 1; 2 of 3 elements are wrong. 2 elements are NaN. NaN comes from 0/0")


@pytest.mark.parametrize(("count", "words"), [(1, "1 of them was never written"), (2, "2 of them were never written")])
def test_how_many_of_the_wrong_were_never_written(count: int, words: str) -> None:
    text = wrong_value("y", *found([9, 9, 0, 0], [1, 2, 3, 4], never_written=count))
    assert text.endswith(f"4 of 4 elements are wrong; {words}")


def test_low_precision_names_the_largest_error_for_its_scale() -> None:
    """The second error is larger, the first one is for its scale; where the scale is 0 none counts, nor does a NaN."""
    bound, comparison = found([1 + 2**-10, 1000 + 2**-9, 2**-9, np.nan], [1.0, 1000.0, 0.0, 1.0])
    scale = np.array([0.5, 1000.0, 0.0, 0.25])
    text = low_precision("y", bound, comparison, Magnitudes(scale, scale), CAUSE, 96)
    assert text == (
        f"y[0] is off by {2**-10 / 0.5 / UNIT:.0f} u where 96 u are allowed; "
        "errors of this size come from sums in half precision"
    )


def test_low_precision_says_what_was_allowed() -> None:
    scale = np.array([1.0])
    bound, comparison = found([1 + 2**-22], [1.0], exact=True)
    assert "y[0] is off by 4 u where 0 u are allowed; " in low_precision(
        "y", bound, comparison, Magnitudes(scale, scale), CAUSE, 96
    )
    together = Comparison(**{**vars(comparison), "gate": "G2"})
    bound, _ = found([1 + 2**-22], [1.0])
    assert "4 u and the errors of all elements together are too large; " in low_precision(
        "y", bound, together, Magnitudes(scale, scale), CAUSE, 96
    )
