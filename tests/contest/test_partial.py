"""Partial credit: points by groups of cases and by speed, from contest.toml to the scoreboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from grader.contest.archive_site import archive_pages
from grader.contest.exports import to_gradescope
from grader.contest.jobs import Outcome
from grader.contest.partial import Credit, Threshold, parts_of, total
from grader.contest.scoreboard import Entry, scoreboard
from grader.contest.settings import ContestProblem, Late, Settings, parse_settings, settings_from_json, settings_to_json
from grader.contest.settings_form import form_values, settings_of_form
from grader.contest.standing import Results, standing
from grader.contest.tally import Tally
from grader.core.errors import UsageError
from grader.core.report import Interval
from grader.core.verdict import Verdict

from .contests import SETTINGS, START, WORKER, contest, submit
from .site_samples import SLUG, Hall, open_hall

CREDIT = Credit(40.0, 20.0, (Threshold(0.3, 15.0), Threshold(0.6, 25.0)))
PROBLEMS = ContestProblem("matmul", 100.0, "", CREDIT), ContestProblem("zip")
PARTIAL = replace(SETTINGS, hidden_seeds=(7,), problems=PROBLEMS)
OK, BAD = Verdict.ACCEPTED, Verdict.WRONG_ANSWER
TOML = """
start = 2026-10-01T09:00:00Z
end = 2026-10-02T09:00:00Z
hidden_seeds = [7]
gpu_model = "NVIDIA H100"
[[problems]]
name = "matmul"
{}
"""


def score(value: float, spread: float = 0.001) -> Interval:
    return Interval(value, value - spread, value + spread)


@pytest.mark.parametrize(
    ("verdict", "measured", "failed_hidden", "points"),
    [
        (None, None, False, [0, 0, 0]),
        (BAD, None, False, [0, 0, 0]),
        (BAD, None, True, [40, 0, 0]),
        (Verdict.COMPILE_ERROR, None, False, [0, 0, 0]),
        (OK, None, False, [40, 20, 0]),
        (OK, score(0.2), False, [40, 20, 0]),
        (OK, score(0.45), False, [40, 20, 15]),
        (OK, score(0.6, 0.0), False, [40, 20, 40]),
        (OK, score(0.9), False, [40, 20, 40]),
        (BAD, score(0.9), False, [0, 0, 0]),
    ],
)
def test_points_of_each_group(
    verdict: Verdict | None, measured: Interval | None, failed_hidden: bool, points: list[float]
) -> None:
    parts = parts_of(CREDIT, verdict, measured, failed_hidden=failed_hidden)
    assert [part.points.value for part in parts] == points
    assert [part.most for part in parts] == [40, 20, 40] and CREDIT.most == 100
    assert total(parts).value == sum(points)


def test_near_a_threshold_the_points_are_uncertain() -> None:
    speed = parts_of(CREDIT, OK, score(0.6))[-1].points
    assert speed == Interval(40.0, 15.0, 40.0)


def test_a_group_without_points_is_left_out() -> None:
    assert [part.group for part in parts_of(Credit(visible=1.0), OK, score(0.5))] == ["visible"]


def entry(minute: float, verdict: Verdict, value: float | None = None, *, hidden: bool = False) -> Entry:
    measured = None if value is None else score(value)
    return Entry(
        int(minute), "ada", "matmul", START + timedelta(minutes=minute), verdict, measured, failed_hidden=hidden
    )


def test_the_best_by_points_counts_and_lateness_takes_of_each_group() -> None:
    entries = [entry(1, BAD), entry(2, BAD, hidden=True), entry(3, OK, 0.4), entry(4, BAD, hidden=True)]
    (row,) = scoreboard(PARTIAL, ["ada"], entries[:2])
    assert (row.points.value, row.cells[0].entry) == (40.0, entries[1])
    (row,) = scoreboard(PARTIAL, ["ada"], entries)
    assert [part.points.value for part in row.cells[0].parts] == [40, 20, 15] and row.points.value == 75
    (row,) = scoreboard(replace(PARTIAL, counts="last"), ["ada"], entries)
    assert row.points.value == 40
    late = replace(PARTIAL, late=Late(50.0, 2.0))
    (row,) = scoreboard(late, ["ada"], [entry(130, OK, 0.9)])
    assert [part.points.value for part in row.cells[0].parts] == [20, 10, 20] and row.points.value == 50


def test_the_freeze_hides_parts_too() -> None:
    (row,) = scoreboard(PARTIAL, ["ada"], [entry(95, OK, 0.9)], frozen=True)
    assert row.cells[0].parts == () and row.points.value == 0


def test_settings_of_a_file_come_back_from_the_database() -> None:
    text = (
        "credit = { visible = 40, hidden = 20, speed = [{ score = 0.3, points = 15 }, { score = 0.6, points = 25 }] }"
    )
    found = parse_settings(TOML.format(text), "a1", "the file")
    assert found.problems == (ContestProblem("matmul", 100.0, "", CREDIT),) and found.most_points == 100
    assert settings_from_json(settings_to_json(found), "a1") == found
    assert settings_of_form(found, form_values(found)) == found
    plain = parse_settings(TOML.format("weight = 3"), "a1", "the file")
    assert plain.problems == (ContestProblem("matmul", 3.0),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("weight = 2\ncredit = { visible = 1 }", "no weight beside credit"),
        ("credit = { }", "points for visible, hidden, groups or speed"),
        ("credit = { visible = -1 }", "problems[1].credit.visible = -1"),
        ("credit = { visible = 1, sped = 2 }", "did you mean 'speed'?"),
        ("credit = { speed = [{ score = 1.5, points = 1 }] }", "problems[1].credit.speed[1].score = 1.5"),
        ("credit = { speed = [{ score = 0.5, points = 0 }] }", "speed[1].points = 0"),
        ("credit = { speed = 3 }", "credit.speed"),
        ("credit = 3", "credit = 3: a table"),
    ],
)
def test_a_mistake_in_the_file_is_named(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        parse_settings(TOML.format(text), "a1", "the file")


def test_points_that_nobody_can_get_are_a_mistake() -> None:
    text = TOML.format("credit = { visible = 1, hidden = 1, speed = [{ score = 0.5, points = 1 }] }")
    with pytest.raises(UsageError, match="hidden_seeds"):
        parse_settings(text.replace("hidden_seeds = [7]", ""), "a1", "the file")
    with pytest.raises(UsageError, match="nothing is timed"):
        parse_settings(text.replace("NVIDIA H100", "emulator"), "a1", "the file")


def judged(folder: Path, settings: Settings, *outcomes: Outcome) -> list[float]:
    """The points of each problem for what a worker said of submissions to the first; both boards agree."""
    with contest(folder, settings, ["ada"]) as database:
        for minute, outcome in enumerate(outcomes):
            submit(database, "ada", minute + 1)
            job = database.queue.claim("NVIDIA H100", WORKER)
            assert job is not None and database.queue.finish(job, outcome)
        (row,) = standing(database, "a1").rows
        tally = Tally(database, "a1")
        tally.refresh(settings, whole=True)
        assert tally.rows == (row,)
        return [cell.points.value for cell in row.cells]


@pytest.mark.parametrize(
    ("outcome", "points"),
    [
        (Outcome("wrong_answer", is_open=False, language="cuda"), 40),
        (Outcome("wrong_answer", is_open=True, language="cuda"), 0),
        (Outcome("compile_error"), 0),
        (Outcome("runtime_error", is_open=False), 0),
        (Outcome("accepted", 0.4, 0.39, 0.41, is_open=True), 75),
    ],
)
def test_what_a_worker_says_becomes_points(tmp_path: Path, outcome: Outcome, points: float) -> None:
    assert judged(tmp_path, PARTIAL, outcome) == [points, 0]


def test_weights_stay_the_default(tmp_path: Path) -> None:
    plain = replace(PARTIAL, problems=SETTINGS.problems)
    outcomes = Outcome("wrong_answer", is_open=False), Outcome("accepted", 0.4, 0.39, 0.41, is_open=True)
    assert judged(tmp_path, plain, *outcomes) == [0.8, 0]


def test_gradescope_is_told_the_groups() -> None:
    (row,) = scoreboard(PARTIAL, ["ada"], [entry(3, OK, 0.4)])
    assert "visible cases 40 of 40; hidden cases 20 of 20; speed 15 of 40" in to_gradescope(
        Results(PARTIAL, [row], {}, {}), row
    )


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    credit = Credit(40.0, 60.0)
    problems = (ContestProblem("matmul", credit.most, "", credit), ContestProblem("zip", 2.0))
    with open_hall(tmp_path, hidden_seeds=(7,), problems=problems) as opened:
        yield opened


def test_pages_and_api_show_the_groups(hall: Hall) -> None:
    home, board = f"/contests/{SLUG}", f"/contests/{SLUG}/scoreboard"
    ada = hall.signed_in("ada")
    assert "visible cases 0 of 40" in text_of(ada.get(home).text)
    hall.submit("ada")
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None and hall.database.queue.finish(job, Outcome("wrong_answer", is_open=False, language="cuda"))
    for path in (home, board):
        assert "visible cases 40 of 40, hidden cases 0 of 60" in text_of(ada.get(path).text)
    assert "40.000" in ada.get(board).text
    cell = hall.program("ada").get(f"/api/contests/{SLUG}/scoreboard").json()["rows"][0]["cells"][0]
    assert [(part["group"], part["points"]["value"], part["most"]) for part in cell["parts"]] == [
        ("visible", 40.0, 40.0),
        ("hidden", 0.0, 60.0),
    ]
    assert 'name="weight:matmul"' not in hall.signed_in("tutor").get(f"{home}/staff/settings").text


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", page).split())


def test_the_archive_shows_the_groups(tmp_path: Path) -> None:
    with contest(tmp_path, PARTIAL, ["ada"]) as database:
        submit(database, "ada", 1)
        job = database.queue.claim("NVIDIA H100", WORKER)
        assert job is not None and database.queue.finish(job, Outcome("wrong_answer", is_open=False, language="cuda"))
        index = dict(archive_pages(database, "a1", {}))["index.html"]
    assert "40.000 visible cases 40 of 40, hidden cases 0 of 20, speed 0 of 40" in text_of(index)
