"""Computes the plot area of a picture and the ticks of its axes: round numbers, as many as fit.

Arithmetic only; drawing is left to the pictures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Frame:
    """The size of a picture and the borders of its plot area, in units right and down from the top left corner."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    def x(self, part: float) -> float:
        """The x coordinate at fraction `part` of the way from the left border to the right one."""
        return round(self.left + part * (self.right - self.left), 1)

    def y(self, part: float) -> float:
        """The y coordinate at fraction `part` of the way from the bottom to the top."""
        return round(self.bottom - part * (self.bottom - self.top), 1)


@dataclass(frozen=True)
class Tick:
    """A label and its position along an axis, in units of the picture."""

    at: float
    label: str


def index_ticks(length: int, scale: float, space: float, step: int | None = None) -> list[int]:
    """Indices of elements to label on an axis of `length` elements, each `scale` units long.

    Neighbours are at least `space` units apart. With `step`, such as a tile's width, they are multiples of it.
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
    """Returns at most `most` + 1 round values that cover `low` to `high`."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = round_up((high - low) / most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [k * step for k in range(first, last + 1)]


def time_ticks(first: datetime, last: datetime, most: int) -> list[tuple[datetime, str]]:
    """Returns at most `most` evenly spaced times with labels: days, or hours if the span is short."""
    span = last - first
    pattern = "%Y-%m-%d" if span >= timedelta(days=most) else "%m-%d %H:%M"
    if span < timedelta(minutes=1):
        return [(first, f"{first:{pattern}}")]
    times = [first + span * k / (most - 1) for k in range(most)]
    return [(time, f"{time:{pattern}}") for time in times]
