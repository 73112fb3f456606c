"""Places the numbers of marks in a picture: next to their marks, clear of lines, other marks and other numbers.

Geometry only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.boards.axes import Frame

Place = tuple[float, float]
"""Coordinates in units of the picture, right and down from the top left corner."""

SIZE = 13.0
"""Side of the square that a number takes."""
MARK = 6.5
"""Half the size of a mark."""


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: _Box) -> bool:
        beside = other.right <= self.left or self.right <= other.left
        return not (beside or other.bottom <= self.top or self.bottom <= other.top)

    def is_crossed(self, line: Sequence[Place]) -> bool:
        """Whether a polyline through these points, from left to right, crosses the box."""
        for (x1, y1), (x2, y2) in pairwise(line):
            low, high = max(x1, self.left), min(x2, self.right)
            if low < high:
                ends = [y1 + (y2 - y1) * (x - x1) / (x2 - x1) for x in (low, high)]
                if min(ends) < self.bottom and max(ends) > self.top:
                    return True
        return False


def place_numbers(
    frame: Frame, marks: Sequence[Place], others: Sequence[Place] = (), lines: Sequence[Sequence[Place]] = ()
) -> list[Place]:
    """Returns the bottom centre of each mark's number, for centred text.

    Each takes the first free place: above its mark, below, right, left, then further and further down on the right. If
    none is free it goes above, over whatever is there. `others` are marks without numbers.
    """
    taken = [_Box(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in (*marks, *others)]
    found: dict[int, Place] = {}
    for index in sorted(range(len(marks)), key=lambda k: marks[k][1]):
        places = list(_around(marks[index]))
        free = (place for place in places if _is_free(_box(place), frame, taken, lines))
        found[index] = next(free, places[0])
        taken.append(_box(found[index]))
    return [(round(x, 1), round(y, 1)) for x, y in (found[index] for index in range(len(marks)))]


def _around(mark: Place) -> Iterator[Place]:
    x, y = mark
    yield x, y - 11
    yield x, y + 21
    yield x + 14, y + 4.5
    yield x - 14, y + 4.5
    for further in range(1, 12):
        yield x + 14, y + 4.5 + 5 * further


def _box(place: Place) -> _Box:
    x, y = place
    return _Box(x - SIZE / 2, y - SIZE + 1, x + SIZE / 2, y + 1)


def _is_free(box: _Box, frame: Frame, taken: Sequence[_Box], lines: Sequence[Sequence[Place]]) -> bool:
    inside = frame.left <= box.left and box.right <= frame.right and frame.top <= box.top and box.bottom <= frame.bottom
    return inside and not any(map(box.covers, taken)) and not any(map(box.is_crossed, lines))
