"""Comparing one output with its bound: exact, within tolerance, NaN and infinity, unwritten."""

import numpy as np
import pytest

from grader.check.compare import compare
from grader.check.tolerance import Bound

NAN, INF = np.nan, np.inf


def bound(values, allowed=0.5, **options):
    reference = np.array(values, np.float64)
    return Bound("G1", reference.astype(np.float32), reference, np.full(reference.shape, allowed), **options)


def wrong(bound, got, unwritten=None):
    got = np.array(got, np.float32)
    mask = np.zeros(got.shape, bool) if unwritten is None else np.array(unwritten)
    return compare(bound, got, mask)


def test_within_and_beyond_the_tolerance():
    found = wrong(bound([1, 2, 3]), [1.5, 2.75, 2.0])
    assert found.wrong.tolist() == [False, True, True]
    assert found.units.tolist() == [1.0, 1.5, 2.0]
    assert found.error.tolist() == [0.5, 0.75, -1.0]
    assert found.count == 2


def test_a_right_whole_number_is_off_by_the_fraction_that_it_stands_for():
    expected, none = np.array([2, 3], np.int32), np.zeros(2, bool)
    whole, fraction = (Bound("G3", expected, np.array(values), np.full(2, 0.5)) for values in ([2.0, 3.0], [1.75, 3.0]))
    found = compare(whole, expected.copy(), none)
    assert (found.error.tolist(), found.units.tolist(), found.count) == ([0, 0], [0, 0], 0)
    found = compare(fraction, expected.copy(), none)
    assert (found.error.tolist(), found.units.tolist(), found.count) == ([0.25, 0], [0.5, 0], 0)


@pytest.mark.parametrize("exact", [False, True])
def test_a_right_zero_has_no_error_and_hides_no_other(exact):
    found = wrong(bound([0, 0, 1], allowed=np.array([0.0, 0.0, 0.5]), exact=exact), [0, 1, 2])
    assert found.units.tolist() == [0.0, INF, 2.0]
    assert found.wrong.tolist() == [False, True, True]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("expected", "got", "right"),
    [
        (NAN, NAN, True),
        (INF, INF, True),
        (-INF, -INF, True),
        (INF, -INF, False),
        (1.0, NAN, False),
        (NAN, 1.0, False),
        (1.0, INF, False),
        (INF, 3e38, False),
        (INF, NAN, False),
        (NAN, INF, False),
    ],
)
def test_nan_and_infinity_have_to_be_the_same(expected, got, right, exact):
    found = wrong(bound([expected], exact=exact), [got])
    assert found.wrong.tolist() == [not right]
    assert found.units.tolist() == [0.0 if right else INF]
    assert np.isnan(found.error).all()


def test_exact_means_the_very_float():
    one = np.float32(1)
    found = wrong(bound([1, 1, 1], allowed=2.0**-25, exact=True), [1, np.nextafter(one, 2), np.nextafter(one, 0)])
    assert found.wrong.tolist() == [False, True, True]
    assert found.units.min() == 0
    assert (found.units[1:] >= 2).all()


@pytest.mark.parametrize("signed", [False, True])
def test_the_sign_of_zero(signed):
    zeros = bound([0.0, -0.0], exact=True, signed_zeros=signed)
    assert wrong(zeros, [0.0, -0.0]).count == 0
    swapped = wrong(zeros, [-0.0, 0.0])
    assert swapped.count == (2 if signed else 0)
    assert swapped.units.tolist() == ([2.0, 2.0] if signed else [0.0, 0.0])


def test_an_aggregate_beyond_its_limit_marks_the_largest_errors():
    found = wrong(bound([0, 0, 0, 0], aggregate=0.1), [0.05, -0.3, 0.0, 0.0])
    assert found.gate == "G2"
    assert found.wrong.tolist() == [False, True, False, False]
    assert found.units[1] == pytest.approx(3)


def test_an_aggregate_within_its_limit_passes():
    found = wrong(bound([0, 0, 0, 0], aggregate=0.2), [0.05, -0.3, 0.0, 0.0])
    assert (found.gate, found.count) == ("G1", 0)


def test_unwritten_elements_are_wrong_whatever_they_hold():
    found = wrong(bound([1, 2]), [1, 2], [True, False])
    assert found.wrong.tolist() == [True, False]
    assert found.units.tolist() == [INF, 0.0]
