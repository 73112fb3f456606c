"""The roofline: a kernel's arithmetic rate against its arithmetic intensity, below the GPU's ceilings.

It computes coordinates; the template draws them as SVG, and the style sheet sets colours. The model is that of
Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.boards.axes import Frame, Tick
from grader.boards.numbers import Place, place_numbers
from grader.boards.words import duration, percent, quantity, sizes
from grader.core.report import Ceilings, Measurement, SizeMeasurement

FRAME = Frame(440.0, 330.0, left=74.0, right=424.0, top=12.0, bottom=284.0)
"""A phone shows it at two thirds of this size, where text is still 10 pixels high."""
MOST_OTHERS = 3

Point = tuple[float, float]
"""Operations per byte, and operations per second."""


@dataclass(frozen=True)
class Mark:
    """One size of one entry: its position, its number in the table of sizes, and its tooltip.

    The number is drawn at `number_x`, `number_y`, only for the entry itself.
    """

    x: float
    y: float
    shape: str
    title: str
    number: int
    number_x: float = 0.0
    number_y: float = 0.0


@dataclass(frozen=True)
class Series:
    """An entry's marks. `style` 0 is the entry itself, 1 and above are others, best first."""

    label: str
    shape: str
    style: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Roofline:
    """The picture: ceilings as paths, the ridge point, the entries, and a description in words."""

    frame: Frame
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
    """The logarithmic plane: its borders as exponents of ten, x in operations per byte, y in operations per second."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, intensity: float) -> float:
        return FRAME.x((math.log10(intensity) - self.x_low) / (self.x_high - self.x_low))

    def y(self, rate: float) -> float:
        return FRAME.y((math.log10(rate) - self.y_low) / (self.y_high - self.y_low))


def draw(measurement: Measurement, others: Sequence[tuple[str, Measurement]] = ()) -> Roofline | None:
    """The roofline of a measurement; `others` are names and measurements of the best entries on the same GPU model.

    None if no size has a point: a kernel without arithmetic, such as a transpose, can't be plotted.
    """
    ceilings = measurement.ceilings
    entries = [("this entry", measurement), *others[:MOST_OTHERS]]
    points = [point for _, own in entries for size in own.sizes if (point := point_of(size)) is not None]
    if not any(point_of(size) for size in measurement.sizes) or min(ceilings.bandwidth, ceilings.flops) <= 0:
        return None
    plane = _plane(points, ceilings)
    ridge = ceilings.flops / ceilings.bandwidth
    reached = _roof(plane, ceilings.bandwidth, ceilings.flops)
    datasheet = _roof(plane, ceilings.datasheet_bandwidth, ceilings.datasheet_flops)
    own, *beside = (_series(plane, style, name, entry.sizes) for style, (name, entry) in enumerate(entries))
    return Roofline(
        frame=FRAME,
        reached=_path(reached),
        datasheet=_path(datasheet),
        ridge=(plane.x(ridge), plane.y(ceilings.flops)),
        intensities=tuple(
            Tick(plane.x(value), f"{value:,.0f}" if value >= 1 else f"{value:g}")
            for value in _powers(plane.x_low, plane.x_high)
        ),
        rates=tuple(Tick(plane.y(value), _short(value)) for value in _powers(plane.y_low, plane.y_high)),
        series=(_numbered(own, beside, [reached, datasheet]), *beside),
        title=f"Roofline on {ceilings.gpu}",
        description=_description(measurement, ridge),
        ceilings=_ceilings(ceilings, ridge),
    )


def point_of(size: SizeMeasurement) -> Point | None:
    """The point of a size; None if it does no arithmetic, moves no bytes, or its work is unknown."""
    if size.sol is None or size.flops <= 0 or size.bytes <= 0 or size.time.value <= 0:
        return None
    return size.flops / size.bytes, size.flops / size.time.value


def limit(size: SizeMeasurement, ceilings: Ceilings) -> str:
    """The limit at a size's speed of light: "memory", "arithmetic" or "launch"; "unknown" if its work is unknown."""
    if size.sol is None:
        return "unknown"
    times = {
        "memory": size.bytes / ceilings.bandwidth,
        "arithmetic": size.flops / ceilings.flops,
        "launch": size.floor,
    }
    return max(times, key=lambda name: times[name])


def _plane(points: Iterable[Point], ceilings: Ceilings) -> _Plane:
    """The plane with whole powers of ten around all points and the ridge."""
    points = list(points)
    ridge = math.log10(ceilings.flops / ceilings.bandwidth)
    top = math.log10(max(ceilings.flops, ceilings.datasheet_flops or 0.0, *(rate for _, rate in points)))
    xs = [math.log10(intensity) for intensity, _ in points]
    ys = [math.log10(rate) for _, rate in points]
    # Margin, because a mark on the border would be cut in half.
    x_low, x_high = math.floor(min(*xs, ridge - 0.6) - 0.1), math.ceil(max(*xs, ridge + 0.6) + 0.1)
    roof_left = x_low + math.log10(ceilings.bandwidth)
    y_low, y_high = math.floor(min(*ys, roof_left) - 0.1), math.ceil(top + 0.1)
    return _Plane(x_low, x_high, y_low, y_high)


def _roof(plane: _Plane, bandwidth: float | None, flops: float | None) -> tuple[Place, ...]:
    """The corners of a roof: the slope of the bandwidth, then the level of the flops; empty if either is unknown."""
    if not bandwidth or not flops:
        return ()
    first, last = max(10.0**plane.x_low, 10.0**plane.y_low / bandwidth), 10.0**plane.x_high
    ridge = min(max(flops / bandwidth, first), last)
    level = plane.y(min(flops, bandwidth * last))
    return (plane.x(first), plane.y(bandwidth * first)), (plane.x(ridge), level), (plane.x(last), level)


def _path(corners: Sequence[Place]) -> str:
    if not corners:
        return ""
    (x1, y1), (x2, y2), (x3, _) = corners
    return f"M{x1:g} {y1:g}L{x2:g} {y2:g}H{x3:g}"


def _series(plane: _Plane, style: int, name: str, own: Sequence[SizeMeasurement]) -> Series:
    shape = _SHAPES[style % len(_SHAPES)]
    marks = tuple(
        Mark(plane.x(point[0]), plane.y(point[1]), shape, f"{name}, {_said(size)}", number)
        for number, size in enumerate(own, start=1)
        if (point := point_of(size)) is not None
    )
    return Series(name, shape, style, marks)


def _numbered(own: Series, beside: Sequence[Series], lines: Sequence[Sequence[Place]]) -> Series:
    """The series with its numbers placed where they cover nothing."""
    others = [(mark.x, mark.y) for series in beside for mark in series.marks]
    places = place_numbers(FRAME, [(mark.x, mark.y) for mark in own.marks], others, lines)
    marks = (replace(mark, number_x=x, number_y=y) for mark, (x, y) in zip(own.marks, places, strict=True))
    return replace(own, marks=tuple(marks))


def _said(size: SizeMeasurement) -> str:
    rate = quantity(size.flops / size.time.value, "FLOP/s")
    return f"{sizes(size.sizes)}: {duration(size.time.value)}, {rate}, {_share(size)}"


def _share(size: SizeMeasurement) -> str:
    return "" if size.sol is None else f"{percent(size.sol)} of the speed of light"


def _powers(low: float, high: float) -> list[float]:
    return [10.0**exponent for exponent in range(round(low), round(high) + 1)]


def _short(rate: float) -> str:
    """Formats a power of ten of operations per second briefly: 10 T, 100 G."""
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
            f"{_share(size)}."
        )
    return " ".join(parts)


_SHAPES = (
    "M0-5.5A5.5 5.5 0 1 1 0 5.5A5.5 5.5 0 1 1 0-5.5Z",
    "M0-6.5L6.5 0L0 6.5L-6.5 0Z",
    "M0-6L6 5H-6Z",
    "M-5-5H5V5H-5Z",
)
"""A circle for the entry itself, then a diamond, a triangle and a square, distinguishable without colours."""
