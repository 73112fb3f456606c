"""Ranges of inputs: values stay in them, reach their ends, and lie in them as the family says."""

import numpy as np
import pytest

from grader.core.errors import ProblemError
from grader.problem.arrays import doubled_maximum, running_maximum
from grader.problem.values import below, integers, uniform

SIZES = {"N": 50, "K": 7}


def drawn(values, family="normal", count=20_000, seed=1):
    words = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)
    return values.maker(family, SIZES)(np, words)


@pytest.mark.parametrize("family", ["normal", "spread", "special", "exact", "wide"])
@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (integers(-3, 9), -3, 9),
        (integers(0, 255), 0, 255),
        (integers("K", "N"), 7, 50),
        (below("N"), 0, 49),
        (below("K"), 0, 6),
        (integers(-(2**31), 2**31 - 1), -(2**31), 2**31 - 1),
    ],
)
def test_whole_numbers_stay_in_their_range(values, low, high, family):
    found = drawn(values, family)
    assert found.dtype == np.int64
    assert low <= found.min()
    assert found.max() <= high
    if high - low < 100:
        assert set(found.tolist()) == set(range(low, high + 1))


def test_a_range_of_one_number():
    assert set(drawn(below("N"), count=5).tolist()) <= set(range(50))
    one = below("K").maker("special", {"K": 1})
    assert one(np, np.arange(9, dtype=np.uint64) << np.uint64(60)).tolist() == [0] * 9


def test_normal_values_are_even():
    counts = np.bincount(drawn(integers(0, 9)))
    assert counts.size == 10
    assert counts.min() > 1700
    assert counts.max() < 2300


def test_spread_values_are_small_as_often_as_large():
    found = drawn(integers(0, 2**20 - 1), "spread")
    assert (found < 2**10).mean() > 0.4
    assert (found > 2**15).mean() > 0.05
    assert (drawn(integers(0, 2**20 - 1)) < 2**10).mean() < 0.01


def test_special_values_are_equal_often():
    found = drawn(integers(0, 1_000_000), "special")
    ends = np.isin(found, [0, 1, 500_000, 999_999, 1_000_000])
    assert 0.45 < ends.mean() < 0.55
    assert np.unique(found[~ends]).size > 8_000
    levels = drawn(uniform(-50.0, 3.0), "special")
    assert np.unique(levels).size == 16
    assert (levels.min(), levels.max()) == (-50.0, pytest.approx(3.0))


def test_real_numbers_are_even():
    found = drawn(uniform(-2.0, 3.0))
    assert -2.0 <= found.min() < -1.99
    assert 2.99 < found.max() <= 3.0
    assert found.mean() == pytest.approx(0.5, abs=0.05)


def test_the_sizes_that_ends_name():
    assert below("N").names == ("N",)
    assert integers("K", "N").names == ("K", "N")
    assert uniform(0.0, 1.0).names == ()


@pytest.mark.parametrize("make", [integers, uniform])
def test_an_empty_range_is_named(make):
    with pytest.raises(ProblemError, match="from 3 to 3: the first has to be less"):
        make(3, 3)


def test_a_running_maximum_by_doubling_is_numpys_own() -> None:
    values = np.random.default_rng(3).normal(size=(3, 5, 33))
    values[0, 0, 7], values[1, 2, 0] = np.inf, -np.inf
    for axis, size in enumerate(values.shape):
        assert size > 2 and (doubled_maximum(values, axis) == np.maximum.accumulate(values, axis=axis)).all()
    assert (running_maximum(values) == np.maximum.accumulate(values, axis=-1)).all()
