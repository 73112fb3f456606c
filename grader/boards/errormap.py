"""The picture of where an output is wrong: an ErrorMap as rectangles, ticks and a legend.

It computes coordinates; the template draws them as SVG, and the style sheet sets colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from grader.boards.axes import Tick, index_ticks
from grader.core.report import ErrorMap, OutputCheck

WIDTH, HEIGHT = 400.0, 320.0
"""The largest plot. With its labels it fits on a phone with text of at least 9 pixels."""
LARGEST_ELEMENT = 26.0
SMALLEST_SIDE = 60.0
MOST_TILE_LINES = 40

LEVELS = ("right", "up to ¼ wrong", "up to ½ wrong", "up to ¾ wrong", "more than ¾ wrong", "all wrong")
"""The meaning of colours 0 to 5. A single wrong element among thousands already changes the colour."""


@dataclass(frozen=True)
class Rectangle:
    """Adjacent cells of one row with the same share of wrong elements."""

    x: float
    y: float
    width: float
    height: float
    level: int
    title: str


@dataclass(frozen=True)
class MapPicture:
    """The plot: its size, shapes, ticks, legend, and a description in words."""

    width: float
    height: float
    rectangles: tuple[Rectangle, ...]
    outside: Rectangle | None
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    tile_columns: tuple[float, ...]
    tile_rows: tuple[float, ...]
    column_title: str
    row_title: str
    legend: tuple[tuple[int, str], ...]
    title: str
    description: str
    note: str


def draw(output: OutputCheck, launch: Mapping[str, int]) -> MapPicture | None:
    """The picture of an output's map; None if it has none.

    A launch with a single constant above 1, such as TILE = 16, adds lines at its multiples to a matrix, which show a
    kernel that fails at tile edges.
    """
    error_map = output.map
    if error_map is None or not error_map.cells:
        return None
    rows, columns = error_map.shape
    width, height = _extent(rows, columns)
    across, down = width / columns, height / rows
    matrix = _is_matrix(output)
    tile_name, tile = _tile(launch, rows, columns) if matrix else ("", None)
    return MapPicture(
        width=width,
        height=height,
        rectangles=tuple(_rectangles(error_map, across, down)),
        outside=None if matrix else _outside(output.total, rows, columns, across, down),
        columns=tuple(
            Tick((k + 0.5) * across, str(k) if matrix else f"+{k}") for k in index_ticks(columns, across, 44, tile)
        ),
        rows=tuple(
            Tick((k + 0.5) * down, str(k if matrix else k * columns)) for k in index_ticks(rows, down, 22, tile)
        ),
        tile_columns=tuple(k * across for k in range(tile or columns, columns, tile or columns)),
        tile_rows=tuple(k * down for k in range(tile or rows, rows, tile or rows)),
        column_title="column" if matrix else "index within the row",
        row_title="row" if matrix else "index of the row's first element",
        legend=_legend(error_map),
        title=f"Where {output.array} is wrong",
        description=_description(output, error_map),
        note=f"Lines every {tile_name} = {tile} elements." if tile else "",
    )


def _is_matrix(output: OutputCheck) -> bool:
    """Whether the map has the output's own shape; an output with a single long dimension was wrapped into rows."""
    return sum(length > 1 for length in output.shape) > 1


def _extent(rows: int, columns: int) -> tuple[float, float]:
    """The plot's width and height: elements are square unless one side would be too thin to see."""
    side = min(LARGEST_ELEMENT, WIDTH / columns, HEIGHT / rows)
    least_width, least_height = (min(n * LARGEST_ELEMENT, SMALLEST_SIDE) for n in (columns, rows))
    return max(columns * side, least_width), max(rows * side, least_height)


def _tile(launch: Mapping[str, int], rows: int, columns: int) -> tuple[str, int | None]:
    constants = [(name, value) for name, value in launch.items() if value > 1]
    if len(constants) != 1:
        return "", None
    ((name, tile),) = constants
    fits = tile < max(rows, columns) <= tile * MOST_TILE_LINES
    return (name, tile) if fits else ("", None)


def _rectangles(error_map: ErrorMap, across: float, down: float) -> Iterator[Rectangle]:
    rows, columns = error_map.shape
    for k, row in enumerate(error_map.cells):
        top, bottom = k * error_map.height, min((k + 1) * error_map.height, rows)
        start = 0
        for share, cells in groupby(row):
            stop = start + len(list(cells))
            left, right = start * error_map.width, min(stop * error_map.width, columns)
            start = stop
            if share > 0:
                yield Rectangle(
                    left * across,
                    top * down,
                    (right - left) * across,
                    (bottom - top) * down,
                    level(share),
                    f"{_span('row', top, bottom)}, {_span('column', left, right)}: {_percent(share)} wrong",
                )


def _outside(total: int, rows: int, columns: int, across: float, down: float) -> Rectangle | None:
    """The part of a wrapped vector's last row beyond the vector's end; None if there is none."""
    used = total - (rows - 1) * columns
    if not 0 < used < columns:
        return None
    x, y = used * across, (rows - 1) * down
    return Rectangle(x, y, (columns - used) * across, down, 0, f"{total:,} elements end here")


def level(share: float) -> int:
    """The colour of a cell by its share of wrong elements: an index into LEVELS."""
    if share <= 0:
        return 0
    return 5 if share >= 1 else 1 + min(3, int(share * 4 - 1e-9))


def _legend(error_map: ErrorMap) -> tuple[tuple[int, str], ...]:
    if error_map.height == error_map.width == 1:
        return ((0, "right"), (5, "wrong"))
    return tuple(enumerate(LEVELS))


def _description(output: OutputCheck, error_map: ErrorMap) -> str:
    rows, columns = error_map.shape
    wrong = [(r, c) for r, row in enumerate(error_map.cells) for c, share in enumerate(row) if share > 0]
    if not wrong:
        return f"All {output.total:,} elements of {output.array} are right."
    count = f"{output.wrong:,} of {output.total:,} elements are wrong."
    top, bottom = wrong[0][0] * error_map.height, min((wrong[-1][0] + 1) * error_map.height, rows)
    if not _is_matrix(output):
        first = top * columns + wrong[0][1] * error_map.width
        end = (bottom - 1) * columns + min((wrong[-1][1] + 1) * error_map.width, columns)
        last = min(end, output.total) - 1
        return f"{count} They lie between {output.array}[{first}] and {output.array}[{last}]."
    left = min(c for _, c in wrong) * error_map.width
    right = min((max(c for _, c in wrong) + 1) * error_map.width, columns)
    return f"{count} They lie in {_span('row', top, bottom)} of {rows} and {_span('column', left, right)} of {columns}."


def _span(noun: str, first: int, end: int) -> str:
    return f"{noun} {first}" if end - first == 1 else f"{noun}s {first} to {end - 1}"


def _percent(share: float) -> str:
    return "all" if share >= 1 else f"{max(share * 100, 0.1):.3g} %"
