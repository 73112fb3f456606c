"""Exports: what other systems read, and that a name is never taken for a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from grader.contest.exports import to_autolab, to_csv, to_gradescope
from grader.contest.scoreboard import Entry, Row, scoreboard
from grader.contest.standing import Results
from grader.core.report import Interval
from grader.core.verdict import Verdict

from .contests import SETTINGS, START


def entry(number: int, who: str, score: float | None, problem: str = "matmul") -> Entry:
    verdict = Verdict.WRONG_ANSWER if score is None else Verdict.ACCEPTED
    interval = None if score is None else Interval(score, score, score)
    language = "triton" if problem == "zip" else "cuda"
    return Entry(number, who, problem, START + timedelta(minutes=number), verdict, interval, language=language)


def rows(*names: str) -> list[Row]:
    entries = [entry(1, names[0], 0.5), entry(2, names[0], 0.25, "zip"), entry(3, names[-1], None)]
    return scoreboard(SETTINGS, names, entries)


def results(*names: str, emails: Mapping[str, str] | None = None, **reasons: str) -> Results:
    return Results(SETTINGS, rows(*names), emails or {}, reasons)


def test_the_table() -> None:
    text = to_csv(results("Ada", "Bob", emails={"Ada": "ada@example.org"}))
    ada, bob = csv.DictReader(io.StringIO(text))
    assert (ada["rank"], ada["name"], ada["email"], ada["points"]) == ("1", "Ada", "ada@example.org", "1.2500")
    assert (ada["matmul_points"], ada["matmul_verdict"], ada["matmul_submission"]) == ("1.0000", "accepted", "1")
    assert (ada["matmul_language"], ada["zip_language"], bob["zip_language"]) == ("cuda", "triton", "")
    assert ada["zip_submitted"] == "2026-10-01T00:02:00Z"
    assert (bob["rank"], bob["points"], bob["matmul_verdict"], bob["zip_verdict"]) == (
        "2",
        "0.0000",
        "wrong_answer",
        "",
    )


@pytest.mark.parametrize(
    "name", ["=1+2", "+49", "-x", "@SUM(A1)", "\tx", '=HYPERLINK("http://x","y")', "＝1", "Ada;=1+2", "Ada; @SUM(A1)"]
)
def test_no_cell_is_a_formula(name: str) -> None:
    text = to_csv(results(name, emails={name: "=x@example.org"}))
    (row,) = csv.DictReader(io.StringIO(text))
    for cell in row.values():
        assert not cell.startswith(("=", "+", "-", "@", "\t"))


def test_cells_hold_commas_quotes_and_no_ends_of_lines() -> None:
    name = 'Ada "the first", Countess\nof\rLovelace'
    (row,) = csv.DictReader(io.StringIO(to_csv(results(name))))
    assert row["name"].startswith('Ada "the first", Countess')
    assert "\n" not in row["name"] and "\r" not in row["name"]


def test_gradescope() -> None:
    """https://gradescope-autograders.readthedocs.io/en/latest/specs/: score, tests with score and max_score."""
    ada, bob = (json.loads(to_gradescope(results("Ada"), row)) for row in rows("Ada", "Bob"))
    assert ada["score"] == 1.25 and bob["score"] == 0
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in ada["tests"]] == [
        ("matmul", 1.0, 2.0, "passed"),
        ("zip", 0.25, 1.0, "passed"),
    ]
    assert ada["tests"][1]["output"] == "submission 2: accepted, in Triton"
    assert bob["tests"][1]["output"] == "nothing was submitted"
    assert ada["leaderboard"] == [{"name": "points", "value": 1.25, "order": "desc"}]


def test_autolab() -> None:
    """An autograder's last line: {"scores": {problem: points}}, and optionally a list for the scoreboard."""
    line = to_autolab(results("Ada"), rows("Ada", "Bob")[0])
    assert "\n" not in line
    assert json.loads(line) == {"scores": {"matmul": 1.0, "zip": 0.25}, "scoreboard": [1.25, 1.0, 0.25]}
