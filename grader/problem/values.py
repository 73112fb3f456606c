"""Ranges for input arrays that can't hold arbitrary floats: indices, bytes, probabilities.

The input family still decides how values are distributed in the range: "normal" draws uniformly, "spread" small and
large values equally often, "special" both ends of the range and few others, so that many are equal; "lowest" and
"highest" take one end for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.core.errors import ProblemError
from grader.problem.expressions import inline, names_in, value_of
from grader.problem.makers import Maker, one_of

Bound = int | float | str

ENDS = ("lowest", "highest")
"""The families whose values all are near one end of what is possible."""


@dataclass(frozen=True)
class Values:
    """A range, both ends included. An end is a number or an expression of sizes; `less` is subtracted from `high`."""

    low: Bound
    high: Bound
    whole: bool
    less: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes named in the ends."""
        return tuple(name for end in (self.low, self.high) if isinstance(end, str) for name in names_in(end))

    def inlined(self, computed: Mapping[str, str]) -> Values:
        """The range with the names of computed sizes replaced by their expressions."""
        low, high = (inline(end, computed) if isinstance(end, str) else end for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    def ends(self, sizes: Mapping[str, int]) -> tuple[float, float]:
        low, high = (value_of(end, sizes) if isinstance(end, str) else end for end in (self.low, self.high))
        return low, high - self.less

    def maker(self, family: str, sizes: Mapping[str, int]) -> Maker:
        low, high = self.ends(sizes)
        if family in ENDS:
            return one_of(np.array([low if family == "lowest" else high], dtype=np.int64 if self.whole else np.float64))
        return _whole(family, int(low), int(high)) if self.whole else _real(family, low, high)


def integers(low: Bound, high: Bound) -> Values:
    """Integers from `low` to `high`, both included; each is a number or an expression of sizes."""
    return _checked(Values(low, high, whole=True))


def below(size: str) -> Values:
    """Indices into an array of `size` elements: integers from 0 to `size` - 1."""
    return Values(0, size, whole=True, less=1)


def uniform(low: float, high: float) -> Values:
    """Real numbers, uniform from `low` to `high`."""
    return _checked(Values(low, high, whole=False))


def _checked(values: Values) -> Values:
    if all(isinstance(end, (int, float)) for end in (values.low, values.high)) and not values.low < values.high:  # type: ignore[operator]
        raise ProblemError(f"values from {values.low} to {values.high}: the first has to be less than the second")
    return values


def _whole(family: str, low: int, high: int) -> Maker:
    count = high - low + 1
    ends = np.array(sorted({low, min(low + 1, high), (low + high) // 2, max(high - 1, low), high}), dtype=np.int64)
    # In two's complement, so that it can be added to any word.
    start = np.uint64(low % 2**64)

    def evenly(words: Any) -> Any:
        if count == 2**64:
            return words
        if count > 2**32:
            return words % np.uint64(count)
        # The upper half of a product: as uniform as its 32 random bits.
        return (words >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)

    def make(xp: Any, words: Any) -> Any:
        above = evenly(words)
        if family == "spread":
            # Five random bits say by how much to shift right: small values become as frequent as large ones.
            return ((above >> (words & np.uint64(31))) + start).astype(np.int64)
        drawn = (above + start).astype(np.int64)
        if family == "special":
            few = xp.asarray(ends)[((words & np.uint64(2**31 - 1)) % np.uint64(ends.size)).astype(np.int64)]
            # Bit 31 is used for nothing else.
            return xp.where(words >> np.uint64(31) & np.uint64(1) == 1, few, drawn)
        return drawn

    return make


def _real(family: str, low: float, high: float) -> Maker:
    def make(xp: Any, words: Any) -> Any:
        if family == "special":
            # Sixteen values, so that many are equal.
            return (words >> np.uint64(60)).astype(np.float64) * ((high - low) / 15) + low
        return (words >> np.uint64(11)).astype(np.float64) * ((high - low) / (2**53 - 1)) + low

    return make
