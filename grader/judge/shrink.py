"""Shrinking: the smallest sizes that still show a failure, found with few runs.

It knows sizes and a yes-or-no question only; what a failure is, and how one run goes, the caller decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from grader.core.limits import Effort

Sizes = dict[str, int]


class _SpentError(Exception):
    """The effort is used up; the best so far stands."""


class _Search:
    """Asks each question once and keeps the smallest sizes that failed."""

    def __init__(
        self,
        start: Mapping[str, int],
        fails: Callable[[Sizes], bool],
        effort: Effort,
        clock: Callable[[], float],
    ) -> None:
        self.best = dict(start)
        self._fails = fails
        self._effort = effort
        self._clock = clock
        self._began = clock()
        self._known: dict[tuple[int, ...], bool] = {tuple(start.values()): True}
        self._asked = 0

    def still_fails(self, changes: Mapping[str, int]) -> bool:
        trial = {**self.best, **changes}
        key = tuple(trial.values())
        if key not in self._known:
            if self._asked >= self._effort.runs or self._clock() - self._began > self._effort.seconds:
                raise _SpentError
            self._asked += 1
            self._known[key] = self._fails(trial)
        if self._known[key]:
            self.best = trial
        return self._known[key]


def shrink(
    start: Mapping[str, int],
    least: Mapping[str, int],
    fails: Callable[[Sizes], bool],
    effort: Effort | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Sizes:
    """The smallest sizes found for which `fails` is true, each between its `least` value and its start.

    `start` is known to fail. All sizes are tried at their least together, then each alone, and then each is
    lowered to an edge; rounds go on until one changes nothing or the effort is spent. For a failure that
    holds from some size on this ends at the edge; for others at a size whose next smaller trials passed.
    """
    search = _Search(start, fails, effort or Effort(), clock)
    with suppress(_SpentError):
        search.still_fails(least)
        changed = True
        while changed:
            before = search.best
            for name in start:
                search.still_fails({name: least[name]})
            for name in start:
                _lower(search, name, least[name])
            changed = search.best != before
    return search.best


def _lower(search: _Search, name: str, low: int) -> None:
    """Lowers one size to where it still fails next to a value that passed.

    Powers of two find the span in which failing begins, halving then finds the edge: failures begin at 2, or
    at or beyond a tile's or a warp's width, far more often than half-way.
    """
    if search.best[name] <= low or search.still_fails({name: low}):
        return
    power = 1 << low.bit_length()
    while power < search.best[name] and not search.still_fails({name: power}):
        low, power = power, 2 * power
    while search.best[name] - low > 1:
        middle = (search.best[name] + low) // 2
        if not search.still_fails({name: middle}):
            low = middle
