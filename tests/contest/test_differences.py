"""What changed between two texts: the fewest lines, found quickly whatever the texts are."""

from __future__ import annotations

import random
import time

import pytest

from grader.contest.differences import AROUND, MOST_LINES, MOST_ROWS, Differences, Kind, Text, differences


def compared(old: str, new: str) -> Differences:
    found = differences(Text(old, None), Text(new, None))
    assert found is not None
    return found


def test_a_changed_line_among_others() -> None:
    lines = [f"line {number}" for number in range(20)]
    changed = [*lines[:10], "another", *lines[11:]]
    found = compared("\n".join(lines), "\n".join(changed))
    assert (found.added, found.removed, found.cut) == (1, 1, False)
    assert [row.kind for row in found.rows] == [
        Kind.SKIPPED, *[Kind.SAME] * AROUND, Kind.REMOVED, Kind.ADDED, *[Kind.SAME] * AROUND, Kind.SKIPPED
    ]  # fmt: skip
    assert [row.skipped for row in found.rows if row.skipped] == [7, 6]
    assert next((row.old, row.new) for row in found.rows if row.kind is Kind.SAME) == (8, 8)


def test_both_texts_can_be_read_off_the_rows() -> None:
    draw = random.Random(7)
    for _ in range(50):
        old, new = ([draw.choice("abc") for _ in range(draw.randrange(1, 9))] for _ in range(2))
        found = compared("\n".join(old), "\n".join(new))
        if any(row.skipped for row in found.rows):
            continue
        assert [str(row.html) for row in found.rows if row.kind is not Kind.ADDED] == old
        assert [str(row.html) for row in found.rows if row.kind is not Kind.REMOVED] == new
        fewest = len(old) + len(new) - 2 * _common(old, new)
        assert found.added + found.removed == fewest


def _common(old: list[str], new: list[str]) -> int:
    """The length of the longest common subsequence, by the book."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, a in enumerate(old):
        for j, b in enumerate(new):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@pytest.mark.parametrize("kind", ["alike", "random", "reversed", "unlike"])
def test_hostile_texts_take_no_time(kind: str) -> None:
    draw, count = random.Random(1), MOST_LINES - 1
    old = ["x" if kind == "alike" else draw.choice("ab") if kind == "random" else str(n) for n in range(count)]
    new = {"alike": ["x"] * (count // 2), "random": old[::-1], "reversed": old[::-1]}.get(kind, ["y"] * count)
    began = time.process_time()
    found = compared("\n".join(old), "\n".join(new))
    assert time.process_time() - began < 2.0
    assert len(found.rows) <= MOST_ROWS


def test_too_long_a_text_is_not_compared() -> None:
    assert differences(Text("\n" * MOST_LINES, None), Text("", None)) is None
    assert differences(Text("", None), Text("\n" * MOST_LINES, None)) is None
