"""Poison: the pattern that output arrays hold before a run, so that unwritten elements can be recognized.

There are two patterns, a NaN and a finite value. A kernel may write one of them by chance; but an element that holds
the first after a run with the first, and the second after a run with the second, was not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.core.verdict import Word

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]


class Poison(Word):
    NAN = "nan"
    FINITE = "finite"


BITS = {
    Poison.NAN: {1: 0xA5, 2: 0x7EAD, 4: 0x7FFAB15A, 8: 0x7FFAB15A7FFAB15A},
    Poison.FINITE: {1: 0x5A, 2: 0xD5B3, 4: 0xC640E6B7, 8: 0xC0C81CD6E9E1B08A},
}
"""Bit patterns by item size in bytes. As floats, the first are quiet NaNs with a payload that no arithmetic produces
(operations give the canonical NaN); the second are -91.2 in half and -12345.68 in single and double precision. In a
one-byte type both are ordinary values, which is why two runs decide."""


def make_poisoned(shape: tuple[int, ...], dtype: numpy.dtype[Any], poison: Poison, xp: Any = None) -> Array:
    """Returns a new array filled with poison; `xp` is the array module, NumPy by default."""
    import numpy as np

    full: Array = (xp or np).full(shape, BITS[poison][dtype.itemsize], _unsigned(dtype)).view(dtype)
    return full


def find_poison(array: Array, poison: Poison) -> Array:
    """Returns a bool array of the array's shape: True where an element holds exactly the pattern's bits."""
    mask: Array = array.view(_unsigned(array.dtype)) == BITS[poison][array.dtype.itemsize]
    return mask


def _unsigned(dtype: numpy.dtype[Any]) -> str:
    return f"u{dtype.itemsize}"
