"""The line chart: steps, ticks and names where they belong."""

import re
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest

from grader.boards.axes import index_ticks, round_up, value_ticks
from grader.boards.charts import FRAME, LABEL_HEIGHT, MOST_LINES, best_so_far

START = datetime(2026, 3, 1, tzinfo=timezone.utc)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def test_a_series_goes_up_in_steps_and_on_to_the_end() -> None:
    chart = best_so_far("Best", {"ada": [(day(0), 0.2), (day(5), 0.4)], "bob": [(day(10), 0.3)]})
    assert chart is not None
    ada, bob = chart.lines
    left, middle, right = FRAME.left, (FRAME.left + FRAME.right) / 2, FRAME.right
    assert re.fullmatch(rf"M{left:g} [\d.]+H{middle:g}V[\d.]+H{right:g}", ada.path)
    assert [mark[0] for mark in ada.marks] == [left, middle]
    # Larger values stand higher, and y counts from the top.
    assert ada.marks[1][1] < bob.marks[0][1] < ada.marks[0][1]
    assert chart.description == "The best is 0.400, by ada, since 2026-03-06."
    assert chart.values[0].label == "0"


@pytest.mark.parametrize("series", [{}, {"ada": []}, {"ada": [(day(0), 0.5)]}])
def test_less_than_two_points_make_no_chart(series: dict[str, list[tuple[datetime, float]]]) -> None:
    assert best_so_far("Best", series) is None


def test_points_at_one_moment_are_drawn() -> None:
    chart = best_so_far("Best", {"ada": [(day(0), 0.5)], "bob": [(day(0), 0.5)]})
    assert chart is not None
    assert len(chart.times) == 1
    assert {mark[0] for line in chart.lines for mark in line.marks} == {(FRAME.left + FRAME.right) / 2}


def test_names_never_cover_each_other_and_too_many_are_counted() -> None:
    chart = best_so_far("Best", {f"user{n}": [(day(0), 0.001), (day(n + 1), 0.01)] for n in range(9)})
    assert chart is not None
    heights = [line.label_y for line in chart.lines]
    assert len(heights) == MOST_LINES
    assert all(b - a >= LABEL_HEIGHT - 1e-9 for a, b in pairwise(heights))
    assert max(heights) <= FRAME.bottom
    assert chart.note == "The 6 best of 9 users."


@pytest.mark.parametrize(("value", "rounded"), [(1, 1), (1.1, 2), (3, 5), (7, 10), (0.03, 0.05), (1e6, 1e6)])
def test_round_up(value: float, rounded: float) -> None:
    assert round_up(value) == pytest.approx(rounded)


def test_value_ticks_cover_the_values() -> None:
    assert value_ticks(0, 0.71, 4) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])
    assert value_ticks(0, 0, 4)[-1] >= 1


def test_index_ticks_keep_their_distance() -> None:
    assert index_ticks(17, 26, 22) == list(range(17))
    assert index_ticks(200, 2, 44) == [0, 50, 100, 150]
    assert index_ticks(200, 2, 44, step=16) == [0, 32, 64, 96, 128, 160, 192]
