"""The roofline: how fast a kernel computes against how much it computes for each byte, below the GPU's ceilings.

It computes places; the template draws them as SVG, and the style sheet colours them. The model is that of
Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.boards.axes import Tick
from grader.boards.words import duration, percent, quantity, sizes
from grader.report import Ceilings, Measurement, SizeMeasurement

WIDTH, HEIGHT = 440.0, 330.0
"""A phone shows it at two thirds, where its text is still 10 pixels high."""
LEFT, RIGHT, TOP, BOTTOM = 74.0, 16.0, 12.0, 46.0
MOST_OTHERS = 3
NUMBER_SIZE = 15.0

Point = tuple[float, float]
"""Operations for each byte, and operations a second."""


@dataclass(frozen=True)
class Mark:
    """One size of one entry: its place, its number in the table of sizes, and what it says on being pointed at."""

    x: float
    y: float
    shape: str
    title: str
    number: int
    number_x: float
    number_y: float


@dataclass(frozen=True)
class Series:
    """An entry's marks. `style` 0 is the entry itself, 1 and above are others, best first."""

    label: str
    shape: str
    style: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Roofline:
    """The picture: its ceilings as paths, the ridge between them, the entries, and all of it in words."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    reached: str
    datasheet: str
    ridge: tuple[float, float]
    intensities: tuple[Tick, ...]
    rates: tuple[Tick, ...]
    series: tuple[Series, ...]
    title: str
    description: str
    ceilings: str


@dataclass(frozen=True)
class _Plane:
    """The logarithmic plane: powers of ten at its borders, x for operations a byte, y for operations a second."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, intensity: float) -> float:
        part = (math.log10(intensity) - self.x_low) / (self.x_high - self.x_low)
        return round(LEFT + part * (WIDTH - RIGHT - LEFT), 1)

    def y(self, rate: float) -> float:
        part = (math.log10(rate) - self.y_low) / (self.y_high - self.y_low)
        return round(HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP), 1)


def draw(measurement: Measurement, others: Sequence[tuple[str, Measurement]] = ()) -> Roofline | None:
    """The roofline of a measurement; `others` are names and measurements of the best entries on the same GPU model.

    None where no size has a point: a kernel without arithmetic, such as a transpose, has no place on it.
    """
    ceilings = measurement.ceilings
    entries = [("this entry", measurement), *others[:MOST_OTHERS]]
    points = [point for _, own in entries for size in own.sizes if (point := point_of(size)) is not None]
    if not any(point_of(size) for size in measurement.sizes) or min(ceilings.bandwidth, ceilings.flops) <= 0:
        return None
    plane = _plane(points, ceilings)
    ridge = ceilings.flops / ceilings.bandwidth
    return Roofline(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        reached=_roof(plane, ceilings.bandwidth, ceilings.flops),
        datasheet=_roof(plane, ceilings.datasheet_bandwidth, ceilings.datasheet_flops),
        ridge=(plane.x(ridge), plane.y(ceilings.flops)),
        intensities=tuple(Tick(plane.x(value), f"{value:g}") for value in _powers(plane.x_low, plane.x_high)),
        rates=tuple(Tick(plane.y(value), _short(value)) for value in _powers(plane.y_low, plane.y_high)),
        series=tuple(_series(plane, style, name, own.sizes) for style, (name, own) in enumerate(entries)),
        title=f"Roofline on {ceilings.gpu}",
        description=_description(measurement, ridge),
        ceilings=_ceilings(ceilings, ridge),
    )


def point_of(size: SizeMeasurement) -> Point | None:
    """Where a size stands; None where it does no arithmetic or moves nothing."""
    if size.flops <= 0 or size.bytes <= 0 or size.time.value <= 0:
        return None
    return size.flops / size.bytes, size.flops / size.time.value


def limit(size: SizeMeasurement, ceilings: Ceilings) -> str:
    """What the speed of light of a size comes from: "memory", "arithmetic" or "launch"."""
    times = {
        "memory": size.bytes / ceilings.bandwidth,
        "arithmetic": size.flops / ceilings.flops,
        "launch": size.floor,
    }
    return max(times, key=lambda name: times[name])


def _plane(points: Iterable[Point], ceilings: Ceilings) -> _Plane:
    """Whole powers of ten around all points and the ridge, at least one to each side of it."""
    points = list(points)
    ridge = math.log10(ceilings.flops / ceilings.bandwidth)
    top = math.log10(max(ceilings.flops, ceilings.datasheet_flops or 0.0, *(rate for _, rate in points)))
    xs = [math.log10(intensity) for intensity, _ in points]
    ys = [math.log10(rate) for _, rate in points]
    # A point on the border would be cut in half.
    x_low, x_high = math.floor(min(*xs, ridge - 0.6) - 0.1), math.ceil(max(*xs, ridge + 0.6) + 0.1)
    roof_left = x_low + math.log10(ceilings.bandwidth)
    y_low, y_high = math.floor(min(*ys, roof_left) - 0.1), math.ceil(top + 0.1)
    return _Plane(x_low, x_high, y_low, y_high)


def _roof(plane: _Plane, bandwidth: float | None, flops: float | None) -> str:
    """The path of a pair of ceilings: the slope of the bandwidth, then level; "" where either is unknown."""
    if not bandwidth or not flops:
        return ""
    first = max(10.0**plane.x_low, 10.0**plane.y_low / bandwidth)
    ridge = min(max(flops / bandwidth, first), 10.0**plane.x_high)
    level = min(flops, bandwidth * 10.0**plane.x_high)
    return (
        f"M{plane.x(first):g} {plane.y(bandwidth * first):g}L{plane.x(ridge):g} {plane.y(level):g}"
        f"H{plane.x(10.0**plane.x_high):g}"
    )


def _series(plane: _Plane, style: int, name: str, own: Sequence[SizeMeasurement]) -> Series:
    shape = _SHAPES[style % len(_SHAPES)]
    placed = [
        (number, size, plane.x(point[0]), plane.y(point[1]))
        for number, size in enumerate(own, start=1)
        if (point := point_of(size)) is not None
    ]
    numbers = _numbers([(x, y) for _, _, x, y in placed])
    marks = tuple(
        Mark(x, y, shape, f"{name}, {_said(size)}", number, *place)
        for (number, size, x, y), place in zip(placed, numbers, strict=True)
    )
    return Series(name, shape, style, marks)


def _said(size: SizeMeasurement) -> str:
    rate = quantity(size.flops / size.time.value, "FLOP/s")
    return f"{sizes(size.sizes)}: {duration(size.time.value)}, {rate}, {percent(size.sol)} of the speed of light"


def _numbers(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where the numbers of marks are centred: above a mark that stands alone, else to its right, moved down until
    none covers another one."""
    centres = [(x, y - 11) for x, y in places]
    done: list[tuple[float, float]] = []
    for index in sorted(range(len(places)), key=lambda k: places[k][1]):
        x, y = places[index]
        if sum(abs(other - x) < NUMBER_SIZE for other, _ in places) > 1:
            x, y = x + 14, y + 4.5
            for other_x, other_y in done:
                if abs(other_x - x) < NUMBER_SIZE and y < other_y + NUMBER_SIZE:
                    y = other_y + NUMBER_SIZE
            done.append((x, y))
            centres[index] = x, y
    return [(round(x, 1), round(y, 1)) for x, y in centres]


def _powers(low: float, high: float) -> list[float]:
    return [10.0**exponent for exponent in range(round(low), round(high) + 1)]


def _short(rate: float) -> str:
    """A power of ten of operations a second in few letters: 10 T, 100 G."""
    for factor, prefix in ((1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rate >= factor * (1 - 1e-9):
            return f"{rate / factor:.0f}{prefix}"
    return f"{rate:g}"


def _ceilings(ceilings: Ceilings, ridge: float) -> str:
    bandwidth, flops = quantity(ceilings.bandwidth, "B/s"), quantity(ceilings.flops, "FLOP/s")
    return (
        f"Reached on this GPU: {bandwidth} and {flops}. They meet at {ridge:.3g} FLOP a byte: to the left of it "
        "memory is the limit, to the right arithmetic."
    )


def _description(measurement: Measurement, ridge: float) -> str:
    parts = []
    for number, size in enumerate(measurement.sizes, start=1):
        point = point_of(size)
        if point is None:
            continue
        where = "left" if point[0] < ridge else "right"
        parts.append(
            f"{number}: {point[0]:.3g} FLOP a byte, {where} of the ridge, {quantity(point[1], 'FLOP/s')}, "
            f"{percent(size.sol)} of the speed of light."
        )
    return " ".join(parts)


_SHAPES = (
    "M0-5.5A5.5 5.5 0 1 1 0 5.5A5.5 5.5 0 1 1 0-5.5Z",
    "M0-6.5L6.5 0L0 6.5L-6.5 0Z",
    "M0-6L6 5H-6Z",
    "M-5-5H5V5H-5Z",
)
"""A circle for the entry itself, then a diamond, a triangle and a square: told apart without colours."""
