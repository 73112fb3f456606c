"""Poison is seen where it still is, bit by bit, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from grader.plan.poison import Poison, find_poison, make_poisoned

DTYPES = [np.dtype(name) for name in ("f2", "f4", "f8", "i1", "i4", "u2", "i8")]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("poison", Poison)
def test_a_fresh_array_is_poisoned_everywhere_and_a_written_element_is_not(dtype, poison):
    array = make_poisoned((3, 5), dtype, poison)
    assert array.dtype == dtype
    assert find_poison(array, poison).all()
    array[1, 2] = 0
    mask = find_poison(array, poison)
    assert not mask[1, 2]
    assert mask.sum() == 14


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.kind == "f"], ids=str)
def test_one_pattern_is_nan_and_the_other_finite(dtype):
    assert np.isnan(make_poisoned((4,), dtype, Poison.NAN)).all()
    assert np.isfinite(make_poisoned((4,), dtype, Poison.FINITE)).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_no_value_is_poison_of_both_kinds(dtype):
    assert not find_poison(make_poisoned((4,), dtype, Poison.NAN), Poison.FINITE).any()
    assert not find_poison(make_poisoned((4,), dtype, Poison.FINITE), Poison.NAN).any()


def test_ordinary_nans_are_not_poison():
    nans = np.array([np.nan, -np.nan, np.float32("nan") + 1], dtype=np.float32)
    canonical = np.array([0x7FFFFFFF, 0x7FC00000, 0xFFC00000], dtype=np.uint32).view(np.float32)
    assert not find_poison(nans, Poison.NAN).any()
    assert not find_poison(canonical, Poison.NAN).any()
