"""Where a picture is plotted, and where the ticks of its axes stand: round numbers, as many as there is room for.

Arithmetic only; the pictures that use it draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Frame:
    """A picture's size, and the borders of what is plotted in it, in units right and down from its corner."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    def x(self, part: float) -> float:
        """The place at this part of the way from the left border to the right one."""
        return round(self.left + part * (self.right - self.left), 1)

    def y(self, part: float) -> float:
        """The place at this part of the way from the bottom up."""
        return round(self.bottom - part * (self.bottom - self.top), 1)


@dataclass(frozen=True)
class Tick:
    """A label and its place along an axis, in the units of the picture."""

    at: float
    label: str


def index_ticks(length: int, scale: float, space: float, step: int | None = None) -> list[int]:
    """Indices of elements to label on an axis of `length` elements, each `scale` units long.

    Neighbours are at least `space` units apart. With `step`, such as a tile's width, they are its multiples.
    """
    least = max(1.0, space / scale)
    stride = step * math.ceil(least / step) if step else math.ceil(round_up(least))
    return list(range(0, length, stride))


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50, … (and 0.5, 0.2, …) that is not below `value`."""
    power = 10.0 ** math.floor(math.log10(value))
    for digit in (1, 2, 5):
        if digit * power >= value * (1 - 1e-12):
            return digit * power
    return 10 * power


def value_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 round values that cover `low` to `high`."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = round_up((high - low) / most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [k * step for k in range(first, last + 1)]


def time_ticks(first: datetime, last: datetime, most: int) -> list[tuple[datetime, str]]:
    """At most `most` evenly spread times with a label each: days, or hours where the span is short."""
    span = last - first
    pattern = "%Y-%m-%d" if span >= timedelta(days=most) else "%m-%d %H:%M"
    if span < timedelta(minutes=1):
        return [(first, f"{first:{pattern}}")]
    times = [first + span * k / (most - 1) for k in range(most)]
    return [(time, f"{time:{pattern}}") for time in times]
