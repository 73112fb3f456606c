"""A line chart of values over time, as paths and ticks.

It computes coordinates; the template draws them as SVG, and the style sheet sets colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.boards.axes import Frame, Tick, time_ticks, value_ticks

FRAME = Frame(640.0, 240.0, left=52.0, right=520.0, top=12.0, bottom=210.0)
MOST_LINES = 6
"""Lines of a chart at most: as many as colours and dashes can distinguish."""
LABEL_HEIGHT = 16.0

Point = tuple[datetime, float]


@dataclass(frozen=True)
class Line:
    """One series: a stepped path, a mark at each point, and a label at the right end."""

    label: str
    path: str
    marks: tuple[tuple[float, float, str], ...]
    label_y: float
    style: int


@dataclass(frozen=True)
class LineChart:
    frame: Frame
    lines: tuple[Line, ...]
    times: tuple[Tick, ...]
    values: tuple[Tick, ...]
    title: str
    description: str
    note: str


def best_so_far(title: str, series: Mapping[str, Sequence[Point]]) -> LineChart | None:
    """A chart of the best value of each series over time: a step up at each point, level in between.

    Points are oldest first. Draws the MOST_LINES series that end highest; None for fewer than two points.
    """
    shown = sorted((s for s in series.items() if s[1]), key=lambda s: -s[1][-1][1])
    left_out = len(shown) - MOST_LINES
    shown = shown[:MOST_LINES]
    points = [point for _, own in shown for point in own]
    if len(points) < 2:
        return None
    first, last = min(time for time, _ in points), max(time for time, _ in points)
    levels = value_ticks(0.0, max(value for _, value in points), 4)

    def x(time: datetime) -> float:
        span = (last - first).total_seconds()
        return FRAME.x((time - first).total_seconds() / span if span else 0.5)

    def y(value: float) -> float:
        return FRAME.y((value - levels[0]) / (levels[-1] - levels[0]))

    heights = _spread([y(own[-1][1]) for _, own in shown])
    lines = tuple(
        Line(
            label=name,
            path=_steps([(x(time), y(value)) for time, value in own]),
            marks=tuple((x(time), y(value), f"{value:.3f} on {time:%Y-%m-%d %H:%M}") for time, value in own),
            label_y=heights[style],
            style=style,
        )
        for style, (name, own) in enumerate(shown)
    )
    leader, own = shown[0]
    return LineChart(
        frame=FRAME,
        lines=lines,
        times=tuple(Tick(x(time), text) for time, text in time_ticks(first, last, 4)),
        values=tuple(Tick(y(value), f"{value:g}") for value in levels),
        title=title,
        description=f"The best is {own[-1][1]:.3f}, by {leader}, since {own[-1][0]:%Y-%m-%d}.",
        note=f"The {MOST_LINES} best of {MOST_LINES + left_out} users." if left_out > 0 else "",
    )


def _steps(points: Sequence[tuple[float, float]]) -> str:
    (x, y), *rest = points
    return f"M{x:g} {y:g}" + "".join(f"H{x:g}V{y:g}" for x, y in rest) + f"H{FRAME.right:g}"


def _spread(heights: Sequence[float]) -> list[float]:
    """y coordinates for the labels at the right end, top down, moved apart until none covers another."""
    spread: list[float] = []
    for height in heights:
        spread.append(max(height, spread[-1] + LABEL_HEIGHT) if spread else height)
    overflow = max(0.0, spread[-1] - FRAME.bottom)
    return [height - overflow for height in spread]
