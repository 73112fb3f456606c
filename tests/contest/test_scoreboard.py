"""The scoreboard on made-up entries whose order is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.contest.scoreboard import Entry, Row, scoreboard, unfreezing
from grader.contest.settings import ContestProblem, Late, Settings
from grader.core.report import Interval
from grader.core.verdict import Verdict

START = datetime(2026, 10, 1, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)
TIMED = Settings(
    slug="a1",
    title="A1",
    problems=(ContestProblem("matmul", 2.0), ContestProblem("zip", 1.0)),
    start=START,
    freeze=START + 90 * MINUTE,
    end=START + 120 * MINUTE,
    gpu_model="NVIDIA H100",
)
UNTIMED = replace(TIMED, gpu_model="emulator")
GOOD, BAD = Verdict.ACCEPTED, Verdict.WRONG_ANSWER


def entry(
    who: str,
    minute: float,
    score: float | None = None,
    problem: str = "matmul",
    verdict: Verdict | None = GOOD,
    width: float = 0.001,
    number: int = 0,
) -> Entry:
    interval = None if score is None else Interval(score, score * (1 - width), score * (1 + width))
    return Entry(number or round(minute * 10), who, problem, START + minute * MINUTE, verdict, interval)


def places(rows: Sequence[Row]) -> list[tuple[int, str]]:
    return [(row.rank, row.who) for row in rows]


def test_points_are_weight_times_score() -> None:
    entries = [entry("ada", 1, 0.5), entry("ada", 2, 0.8, "zip"), entry("bob", 1, 0.9, "zip")]
    rows = scoreboard(TIMED, ["ada", "bob", "cy"], entries)
    assert places(rows) == [(1, "ada"), (2, "bob"), (3, "cy")]
    assert [row.points.value for row in rows] == pytest.approx([1.8, 0.9, 0.0])
    assert rows[0].reached == START + 2 * MINUTE
    assert [cell.points.value for cell in rows[1].cells] == pytest.approx([0.0, 0.9])


def test_overlapping_intervals_are_ordered_by_time() -> None:
    entries = [entry("ada", 5, 0.802, width=0.005), entry("bob", 1, 0.8, width=0.005), entry("cy", 1, 0.7)]
    rows = scoreboard(TIMED, ["ada", "bob", "cy"], entries)
    assert places(rows) == [(1, "bob"), (2, "ada"), (3, "cy")]
    assert [row.tied for row in rows] == [True, True, False]


def test_a_kernel_whose_time_scatters_ties_with_its_neighbours_alone() -> None:
    entries = [entry("ada", 1, 0.5, width=0.9), entry("bob", 9, 0.8)]
    assert places(scoreboard(TIMED, ["ada", "bob"], entries)) == [(1, "bob"), (2, "ada")]


def test_a_chain_of_neighbours_is_not_one_group() -> None:
    entries = [
        entry("ada", 9, 0.80, width=0.004),
        entry("bob", 5, 0.795, width=0.004),
        entry("cy", 1, 0.790, width=0.004),
    ]
    assert places(scoreboard(TIMED, ["ada", "bob", "cy"], entries)) == [(1, "bob"), (2, "ada"), (3, "cy")]


def test_the_same_points_at_the_same_moment_share_a_rank() -> None:
    entries = [entry("ada", 1), entry("bob", 1), entry("cy", 2)]
    assert places(scoreboard(UNTIMED, ["ada", "bob", "cy", "dan", "eve"], entries)) == [
        (1, "ada"),
        (1, "bob"),
        (3, "cy"),
        (4, "dan"),
        (4, "eve"),
    ]


def test_on_an_emulator_accepted_is_one() -> None:
    (row,) = scoreboard(UNTIMED, ["ada"], [entry("ada", 1), entry("ada", 2, problem="zip", verdict=BAD)])
    assert row.points == Interval(2.0, 2.0, 2.0)


def test_accepted_without_a_time_brings_no_points_where_times_rank() -> None:
    (row,) = scoreboard(TIMED, ["ada"], [entry("ada", 1)])
    assert row.points.value == 0 and row.cells[0].is_accepted


def test_best_or_last_counts() -> None:
    entries = [entry("ada", 1, 0.5), entry("ada", 2, 0.9), entry("ada", 3, 0.7), entry("ada", 4, verdict=BAD)]
    (best,) = scoreboard(TIMED, ["ada"], entries)
    assert best.cells[0].entry == entries[1]
    (last,) = scoreboard(replace(TIMED, counts="last"), ["ada"], entries)
    assert last.cells[0].entry == entries[3] and last.points.value == 0
    assert best.cells[0].attempts == last.cells[0].attempts == 4


def test_of_equal_ones_the_earliest_counts() -> None:
    (row,) = scoreboard(UNTIMED, ["ada"], [entry("ada", 5), entry("ada", 2)])
    assert row.reached == START + 2 * MINUTE


def test_a_failure_of_the_judge_costs_nothing() -> None:
    entries = [entry("ada", 1, 0.5), entry("ada", 2, verdict=Verdict.INTERNAL_ERROR)]
    (row,) = scoreboard(replace(TIMED, counts="last"), ["ada"], entries)
    assert row.cells[0].entry == entries[0] and row.cells[0].attempts == 1


def test_what_is_not_judged_is_pending() -> None:
    (row,) = scoreboard(TIMED, ["ada"], [entry("ada", 1, 0.5), entry("ada", 2, verdict=None)])
    assert row.cells[0].pending == 1 and row.points.value == pytest.approx(1.0)


def test_late_work_loses_its_share_and_an_extension_gives_it_back() -> None:
    settings = replace(UNTIMED, late=Late(25, 2))
    late = entry("ada", 130)
    assert scoreboard(settings, ["ada"], [late])[0].points.value == pytest.approx(1.5)
    assert scoreboard(settings, ["ada"], [replace(late, extension=10 * MINUTE)])[0].points.value == 2.0
    assert scoreboard(UNTIMED, ["ada"], [late])[0].cells[0].attempts == 0
    assert scoreboard(settings, ["ada"], [entry("ada", 241)])[0].cells[0].attempts == 0
    assert scoreboard(settings, ["ada"], [entry("ada", -1)])[0].cells[0].attempts == 0


def test_who_does_not_take_part_is_not_on_the_board() -> None:
    entries = [entry("ada", 1, 0.9), entry("bob", 2, 0.5)]
    assert places(scoreboard(TIMED, ["bob"], entries)) == [(1, "bob")]


def test_the_freeze_hides_what_was_submitted_after_it() -> None:
    entries = [entry("ada", 10, 0.5), entry("ada", 95, 0.9), entry("ada", 96, verdict=BAD)]
    (row,) = scoreboard(TIMED, ["ada"], entries, frozen=True)
    assert row.cells[0].entry == entries[0]
    assert (row.cells[0].hidden, row.cells[0].pending, row.cells[0].attempts) == (2, 0, 3)
    assert scoreboard(TIMED, ["ada"], entries)[0].cells[0].entry == entries[1]


def test_late_judging_does_not_move_the_freeze() -> None:
    """What was submitted before the freeze counts whenever it is judged."""
    waiting = entry("ada", 89, verdict=None)
    (before,) = scoreboard(TIMED, ["ada"], [waiting], frozen=True)
    assert before.cells[0].pending == 1 and before.cells[0].hidden == 0
    (after,) = scoreboard(TIMED, ["ada"], [entry("ada", 89, 0.9)], frozen=True)
    assert after.points.value == pytest.approx(1.8)


def test_unfreezing_goes_from_the_last_place_up() -> None:
    entries = [
        entry("ada", 10, 0.9),
        entry("bob", 11, 0.5),
        entry("cy", 12, 0.1),
        entry("cy", 95, 0.7),
        entry("bob", 96, verdict=BAD),
        entry("ada", 97, 0.9, "zip"),
    ]
    steps = unfreezing(TIMED, ["ada", "bob", "cy"], entries)
    assert [(step.reveal, step.before, step.after) for step in steps] == [
        (("cy", "matmul"), 3, 2),
        (("bob", "matmul"), 3, 3),
        (("ada", "zip"), 1, 1),
    ]


@st.composite
def contests(draw: st.DrawFn) -> list[Entry]:
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["ada", "bob", "cy", "dan"]),
                st.integers(0, 119),
                st.sampled_from(["matmul", "zip"]),
                st.sampled_from([GOOD, BAD, None]),
                st.sampled_from([0.2, 0.5, 0.503, 0.9]),
            ),
            max_size=20,
        )
    )
    return [
        entry(who, minute, score if verdict is GOOD else None, problem, verdict, 0.004, number)
        for number, (who, minute, problem, verdict, score) in enumerate(rows, start=1)
    ]


@given(contests(), st.randoms())
def test_the_board_does_not_depend_on_the_order_of_entries(entries: list[Entry], random: object) -> None:
    names = ["ada", "bob", "cy", "dan"]
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert scoreboard(TIMED, names, entries) == scoreboard(TIMED, reversed(names), shuffled)


@given(contests())
def test_unfreezing_ends_with_the_final_board(entries: list[Entry]) -> None:
    names = ["ada", "bob", "cy", "dan"]
    steps = list(unfreezing(TIMED, names, entries))
    reveals = [step.reveal for step in steps]
    final = scoreboard(TIMED, names, entries)
    assert len(set(reveals)) == len(reveals)
    assert scoreboard(TIMED, names, entries, frozen=True, revealed=reveals) == final


@given(contests())
def test_the_frozen_board_tells_nothing_of_what_came_after(entries: list[Entry]) -> None:
    assert TIMED.freeze is not None
    changed = [replace(e, verdict=BAD, score=None) if e.submitted >= TIMED.freeze else e for e in entries]
    names = ["ada", "bob", "cy", "dan"]
    assert scoreboard(TIMED, names, entries, frozen=True) == scoreboard(TIMED, names, changed, frozen=True)
