"""Draws the choices of a case (parameters that select, not measure), and the sizes that depend on a choice.

Every value of a choice comes up once before any repeats, so that few cases cover them all. A size that is the product
of several lengths is moved to a number with factors: a drawn one is often prime, which would leave all lengths but one
at 1.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from grader.problem.parameters import Size

ODD, ANY = (3, 5, 7), (2, 3, 4, 5)
"""The short lengths of a product, beside a long one; odd ones keep the size off the multiples of 16."""
DIVIDING = (*ODD, 2, 4, 11, 13, 17, 19, 23, 29, 31)


class Choices:
    """The choices of one draw of cases."""

    def __init__(self, parameters: Mapping[str, Size], rng: random.Random) -> None:
        self._parameters = parameters
        self._rng = rng
        self._decks: dict[str, list[int]] = {}

    def deal(self) -> dict[str, int]:
        """Draws the choices of the next case; every index is below the choice that it indexes."""
        chosen: dict[str, int] = {}
        for name, size in self._parameters.items():
            if size.is_choice and not size.index_of:
                chosen[name] = self._next(name, size)
        for name, size in self._parameters.items():
            if size.index_of:
                chosen[name] = self._rng.randrange(chosen[size.index_of])
        return chosen

    def bend(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes and choices in the order of the parameters, each product moved to a nearby value not above it."""
        return {
            name: max(self._factored(sizes[name], sizes[size.product_of] - size.less), size.low)
            if size.product_of
            else sizes[name]
            for name, size in self._parameters.items()
        }

    def _next(self, name: str, size: Size) -> int:
        if not self._decks.get(name):
            self._decks[name] = list(range(size.low, size.high + 1))
            self._rng.shuffle(self._decks[name])
        return self._decks[name].pop()

    def _factored(self, value: int, lengths: int) -> int:
        if lengths < 1:
            return 1
        product, last = 1, value
        for _ in range(lengths - 1):
            # A length that divides the value leaves the size as drawn.
            dividing = [length for length in DIVIDING if last % length == 0 and product * last == value]
            length = self._rng.choice(dividing or (ODD if value % 16 else ANY))
            if last >= 2 * length:
                product, last = product * length, last // length
        last -= value % 16 > 0 and last % 16 == 0
        return product * last
