"""The differences between two texts, line by line, in a time that no text can make long.

The longest common subsequence is found by bit-parallel steps: their number depends on the number of lines alone. Longer
texts are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from markupsafe import Markup
from rapidfuzz.distance import LCSseq

from grader.boards import code

MOST_LINES = 5_000
"""Lines of each text; two of this length take some hundredths of a second."""
MOST_ROWS = 1_000
AROUND = 3
"""Equal lines that are shown before and after each change."""


class Kind(str, Enum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Row:
    """A line with its numbers in both texts; one that stands for `skipped` equal lines has neither."""

    kind: Kind
    old: int | None
    new: int | None
    html: Markup
    skipped: int = 0


@dataclass(frozen=True)
class Text:
    """A submission's text with a worker's colouring of it, as by `code.colours_of`."""

    source: str
    colours: str | None


@dataclass(frozen=True)
class Differences:
    """`rows` are at most MOST_ROWS, and `cut` says whether there are more."""

    rows: tuple[Row, ...]
    added: int
    removed: int
    cut: bool


def differences(old: Text, new: Text) -> Differences | None:
    """The differences between two texts; None if one has more than MOST_LINES lines."""
    if max(old.source.count("\n"), new.source.count("\n")) >= MOST_LINES:
        return None
    rows = list(_rows(old, new))
    kinds = [row.kind for row in rows]
    return Differences(
        tuple(rows[:MOST_ROWS]), kinds.count(Kind.ADDED), kinds.count(Kind.REMOVED), cut=len(rows) > MOST_ROWS
    )


def _rows(old: Text, new: Text) -> Iterator[Row]:
    before, after = code.split_lines(old.source), code.split_lines(new.source)
    shown_before, shown_after = _html(old), _html(new)
    old_end = new_end = 0
    for start, new_start, length in _equal_parts(before, after):
        # What was there, and then what came in its place.
        for number in range(old_end, start):
            yield Row(Kind.REMOVED, number + 1, None, shown_before[number])
        for number in range(new_end, new_start):
            yield Row(Kind.ADDED, None, number + 1, shown_after[number])
        yield from _equal(shown_after, start, new_start, length, len(before), len(after))
        old_end, new_end = start + length, new_start + length


def _equal_parts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yields (start, start in the other, length) of each part that both have, at last an empty one at both ends."""
    for block in LCSseq.editops(before, after).as_matching_blocks():
        yield block.a, block.b, block.size


def _html(text: Text) -> Sequence[Markup]:
    return code.colour_lines(text.source, text.colours)


def _equal(shown: Sequence[Markup], old: int, new: int, length: int, old_lines: int, new_lines: int) -> Iterator[Row]:
    """Equal lines, of which those far from any change are one row."""
    head = AROUND if old or new else 0
    tail = AROUND if (old + length, new + length) != (old_lines, new_lines) else 0
    skipped = length - head - tail
    for step in range(length):
        if skipped > 1 and step == head:
            yield Row(Kind.SKIPPED, None, None, Markup(), skipped)
        if skipped <= 1 or not head <= step < length - tail:
            yield Row(Kind.SAME, old + step + 1, new + step + 1, shown[new + step])
