"""Random whole numbers for inputs that belong together: what a problem's `@problem.structure` draws with.

They come from a case's own stream of words, so a seed means the same structure on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


class Draw:
    """Draws from a stream of 64-bit words; `words(count)` gives the next of them."""

    def __init__(self, words: Callable[[int], Any]) -> None:
        self._words = words

    def integers(self, low: int, high: int, *shape: int) -> Integers:
        """Whole numbers from `low` to `high`, both included."""
        words = self._words(max(prod(shape), 1))[: prod(shape)]
        drawn: Integers = ((words >> np.uint64(32)) * np.uint64(high - low + 1) >> np.uint64(32)).astype(np.int64) + low
        return drawn.reshape(shape)

    def one(self, low: int, high: int) -> int:
        """One whole number from `low` to `high`, both included."""
        return int(self.integers(low, high, 1)[0])

    def order(self, count: int) -> Integers:
        """The numbers 0 to count - 1 in any order."""
        shuffled: Integers = np.argsort(self._words(max(count, 1))[:count], kind="stable")
        return shuffled
