"""Rounding to the formats that low precision comes from, at ties and beside them."""

from __future__ import annotations

import numpy as np
import pytest

from grader.check.formats import Floats32, keep_bits, keep_bits_away

TIE, STEP, LEAST = 2.0**-11, 2.0**-10, 2.0**-23


@pytest.mark.parametrize(
    "value, even, away, cut",
    [
        (1 + TIE, 1, 1 + STEP, 1),
        (-1 - TIE, -1, -1 - STEP, -1),
        (1 + STEP + TIE, 1 + 2 * STEP, 1 + 2 * STEP, 1 + STEP),
        (1 + TIE - LEAST, 1, 1, 1),
        (1 + TIE + LEAST, 1 + STEP, 1 + STEP, 1),
        (2 - LEAST, 2, 2, 2 - STEP),
        (np.inf, np.inf, np.inf, np.inf),
        (np.nan, np.nan, np.nan, np.nan),
    ],
)
def test_ten_bits_are_kept(value: float, even: float, away: float, cut: float) -> None:
    x: Floats32 = np.array([value], np.float32)
    ways = (keep_bits(10, nearest=True), keep_bits_away(10), keep_bits(10, nearest=False))
    rounded = np.array([way(x)[0] for way in ways])
    assert np.array_equal(rounded, np.array([even, away, cut], np.float32), equal_nan=True)
