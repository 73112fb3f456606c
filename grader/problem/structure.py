"""Random integers for inputs that depend on each other: the `draw` argument of a problem's `@problem.structure`.

They come from the case's own stream of words, so a seed gives the same structure on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


class Draw:
    """Draws from a stream of 64-bit words; `words(count)` gives the next `count`."""

    def __init__(self, words: Callable[[int], Any]) -> None:
        self._words = words

    def integers(self, low: int, high: int, *shape: int) -> Integers:
        """Random integers from `low` to `high`, both included."""
        words = self._words(max(prod(shape), 1))[: prod(shape)]
        drawn: Integers = ((words >> np.uint64(32)) * np.uint64(high - low + 1) >> np.uint64(32)).astype(np.int64) + low
        return drawn.reshape(shape)

    def one(self, low: int, high: int) -> int:
        """One random integer from `low` to `high`, both included."""
        return int(self.integers(low, high, 1)[0])

    def order(self, count: int) -> Integers:
        """A random permutation of 0 to count - 1."""
        shuffled: Integers = np.argsort(self._words(max(count, 1))[:count], kind="stable").astype(np.int64)
        return shuffled

    def shape(self, count: int, dimensions: int) -> list[int]:
        """Lengths whose product is `count`: its prime factors, distributed randomly over the dimensions."""
        lengths, factors = [1] * dimensions, _prime_factors(count)
        turn = self.order(dimensions).tolist()
        for number, which in enumerate(self.order(len(factors)).tolist()):
            # Every dimension gets a factor first, so that few lengths are 1; `broadcast` makes lengths of 1.
            dimension = turn[number] if number < dimensions else self.one(0, dimensions - 1)
            lengths[dimension] *= factors[which]
        return lengths

    def strides(self, shape: Sequence[int]) -> list[int]:
        """Strides that lay an array of this shape out without gaps, its dimensions in random order."""
        strides, step = [0] * len(shape), 1
        for dimension in self.order(len(shape)).tolist():
            strides[dimension] = step
            step *= shape[dimension]
        return strides

    def broadcast(self, shape: Sequence[int]) -> list[int]:
        """A shape that broadcasts to this one: each length becomes 1 with probability 1/3."""
        return [1 if self.one(0, 2) == 0 else length for length in shape]


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors + [number] * (number > 1)
