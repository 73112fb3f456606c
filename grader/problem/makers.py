"""Makers: what turns raw 64-bit words into the values of an array, the same bits with NumPy and CuPy.

Each value is made from one word, by integer arithmetic and single IEEE operations alone: libraries differ in the last
bit of a logarithm. Which input gets which maker is decided in `inputs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Floats32 = npt.NDArray[np.float32]
Maker = Callable[[Any, Words], Any]
"""Turns 64-bit words into values; the first argument is the array module, NumPy or CuPy."""

WIDE: Mapping[str, float] = {"scaled": 120.0}
"""Largest magnitude of wide values by gate, if not 80; the exponential of these overflows."""
OVERFLOW = 120.0
"""Largest of the values whose exponential overflows, from OVERFLOW_FROM on."""
OVERFLOW_FROM = 89.0
FIRST_POWER = 14
"""The least of the powers of two that rows far below zero lie around: -2^14."""


def normal(sigma: float) -> Maker:
    """Nearly normal values: the sum of three uniform ones, mean 0, between -3 and 3 sigma.

    The unit is the reciprocal of a prime near 2^20, so that values use all 24 bits of a float's significand.
    """
    mask, unit = np.uint64(2**21 - 1), sigma / 1048573.0

    def make(xp: Any, words: Words) -> Any:
        total = (words & mask) + (words >> np.uint64(21) & mask) + (words >> np.uint64(42) & mask)
        return (total.astype(np.float64) - 1.5 * (2**21 - 1)) * unit

    return make


def wide(limit: float) -> Maker:
    """Uniform values between -limit and limit."""

    def make(xp: Any, words: Words) -> Any:
        return ((words >> np.uint64(32)).astype(np.float64) - (2**31 - 0.5)) * (limit / 2**31)

    return make


def offset(mean: float) -> Maker:
    """Nearly normal values around a mean that is much larger, so that subtracting squares cancels."""
    around = normal(1.0)

    def make(xp: Any, words: Words) -> Any:
        return around(xp, words) + mean

    return make


def spread(xp: Any, words: Words) -> Any:
    """Random sign and significand, exponents from -20 to 20: operands overlap fully, partly or not at all."""
    sign = (words >> np.uint64(63)) << np.uint64(31)
    exponent = (words >> np.uint64(32)) % np.uint64(41) + np.uint64(127 - 20)
    bits = sign | exponent << np.uint64(23) | words & np.uint64(2**23 - 1)
    return bits.astype(np.uint32).view(np.float32)


def far_below_zero(xp: Any, words: Words) -> Any:
    """Negative values with random significand, exponents from 100 to 127: from -10^30 down to the lowest float."""
    exponent = (words >> np.uint64(32)) % np.uint64(28) + np.uint64(127 + 100)
    bits = np.uint64(1 << 31) | exponent << np.uint64(23) | words & np.uint64(2**23 - 1)
    return bits.astype(np.uint32).view(np.float32)


def near_lowest(xp: Any, words: Words) -> Any:
    """Values from the lowest float, near -3.4 * 10^38, to 15/16 of it."""
    bits = np.uint64(1 << 31 | 254 << 23 | 7 << 20) | words & np.uint64(2**20 - 1)
    return bits.astype(np.uint32).view(np.float32)


def overflowing(xp: Any, words: Words) -> Any:
    """Half of the values have exponentials that overflow; the others are nearly normal.

    None is far below zero, where the results of right formulas underflow at different places.
    """
    far = (words >> np.uint64(32) & np.uint64(2**20 - 1)).astype(np.float64) * ((OVERFLOW - OVERFLOW_FROM) / 2**20)
    # The top bit is not used for anything else.
    return xp.where(words >> np.uint64(63) == 1, far + OVERFLOW_FROM, normal(3.0)(xp, words))


def halves(xp: Any, words: Words) -> Any:
    """Multiples of 1/2 from -127 to 127, an eighth of them at the ends: rounding to whole numbers, or to signed bytes
    by the largest of a row, has to decide about a tie for nearly half of them."""
    place = xp.where(words >> np.uint64(61) == 0, words & np.uint64(1), (words >> np.uint64(32)) % np.uint64(509))
    end = xp.where(words >> np.uint64(61) == 0, np.uint64(508), np.uint64(1))
    return ((place * end).astype(np.float64) - 254) / 2


def lengths(xp: Any, words: Words) -> Any:
    """1, or a number between 1 and 2 that is nothing else."""
    between = 1 + (words & np.uint64(2**20 - 1)).astype(np.float64) / 1048573.0
    return xp.where(words >> np.uint64(63) == 1, between, 1.0)


def zeros_above(xp: Any, words: Words) -> Any:
    """No positive values: half are zeros of either sign, which compare equal, the others are negative."""
    zero = xp.where(words >> np.uint64(62) & np.uint64(1) == 1, np.float32(-0.0), np.float32(0.0))
    return xp.where(words >> np.uint64(63) == 1, zero, -abs(normal(1.0)(xp, words)).astype(np.float32))


def power_below_zero(powers: int) -> Maker:
    """Negative powers of two, of so many exponents from FIRST_POWER on."""

    def make(xp: Any, words: Words) -> Any:
        exponent = (words >> np.uint64(32)) % np.uint64(powers) + np.uint64(127 + FIRST_POWER)
        return (np.uint64(1 << 31) | exponent << np.uint64(23)).astype(np.uint32).view(np.float32)

    return make


def oppose(place: int) -> Maker:
    """Values up to 120 in magnitude: all positive in the first array, all negative in the second, mixed in others."""
    either = wide(WIDE["scaled"])

    def make(xp: Any, words: Words) -> Any:
        made = either(xp, words)
        return made if place > 1 else abs(made) * (1 - 2 * place)

    return make


def one_of(table: npt.NDArray[Any]) -> Maker:
    """Values from a table, each as likely as the others."""

    def make(xp: Any, words: Words) -> Any:
        return xp.asarray(table)[(words >> np.uint64(32)) % np.uint64(table.size)]

    return make


def special(table: Floats32) -> Maker:
    """Half of the values come from a table of special ones; the others are nearly normal."""
    ordinary = normal(3.0)

    def make(xp: Any, words: Words) -> Any:
        # Handled as bits: CuPy's arithmetic would flush subnormals to zero.
        chosen = xp.asarray(table.view(np.uint32))[(words >> np.uint64(32)) % np.uint64(table.size)]
        others = ordinary(xp, words).astype(np.float32).view(np.uint32)
        # The top bit is not used for anything else.
        return xp.where(words >> np.uint64(63) == 1, chosen, others).view(np.float32)

    return make


def odd(xp: Any, words: Words) -> Any:
    """Odd integers between 2^11 and 2^12 of both signs, scaled by 2^-11 to between 1 and 2, assembled from bits."""
    sign = (words >> np.uint64(63)) << np.uint64(31)
    magnitude = np.uint64(127 << 23 | 1 << 12) | (words & np.uint64(2**10 - 1)) << np.uint64(13)
    return (sign | magnitude).astype(np.uint32).view(np.float32)


def odd_half(xp: Any, words: Words) -> Any:
    """The same for fp16: odd integers between 2^10 and 2^11, scaled by 2^-10."""
    sign = (words >> np.uint64(63)) << np.uint64(31)
    magnitude = np.uint64(127 << 23 | 1 << 13) | (words & np.uint64(2**9 - 1)) << np.uint64(14)
    return (sign | magnitude).astype(np.uint32).view(np.float32)


def signs(xp: Any, words: Words) -> Any:
    """1 or -1."""
    return xp.where(words >> np.uint64(63) == 1, np.float32(-1.0), np.float32(1.0))
