"""Draws an ErrorMap, the map of where an output is wrong, in characters."""

from __future__ import annotations

from rich.text import Text

from grader.core.report import ErrorMap

ROWS, COLUMNS = 16, 32
"""The largest picture; a terminal's character is about twice as high as wide."""

_SHADES = {True: "·░▒▓█", False: ".-+x#"}


def draw(error_map: ErrorMap, *, unicode: bool = True) -> Text:
    """The map in at most ROWS × COLUMNS characters, darker where more elements are wrong, with its scale."""
    shades = _SHADES[unicode]
    cells = error_map.cells
    rows, columns = len(cells), len(cells[0]) if cells else 0
    down, across = _ceil_div(rows, ROWS), _ceil_div(columns, COLUMNS)
    text = Text()
    for top in range(0, rows, down or 1):
        text.append("  ")
        for left in range(0, columns, across or 1):
            block = [cell for row in cells[top : top + down] for cell in row[left : left + across]]
            share = sum(block) / len(block)
            text.append(_shade(share, shades), style="red" if share else "dim")
        text.append("\n")
    times = "×" if unicode else "x"
    height, width = error_map.height * down, error_map.width * across
    size = "" if height == width == 1 else f", {height} {times} {width} a character"
    text.append(
        f"  {error_map.shape[0]} rows {times} {error_map.shape[1]} columns{size}; "
        f"{shades[0]} right, {shades[1]} to {shades[-1]} wrong",
        style="dim",
    )
    return text


def _shade(share: float, shades: str) -> str:
    """The first shade means "all right" and the last "all wrong", so one wrong element in a thousand is visible."""
    if share <= 0:
        return shades[0]
    return shades[-1] if share >= 1 else shades[1 + int(share * (len(shades) - 2))]


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)
