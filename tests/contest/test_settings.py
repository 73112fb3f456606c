"""A contest's file: what is read, and that every mistake is named with its key, its value and what is expected."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.contest.settings import (
    Late,
    Settings,
    parse_settings,
    read_settings,
    settings_from_json,
    settings_to_json,
)
from grader.core.errors import UsageError

GOOD = """
title = "CS 149, assignment 1"
start = 2026-10-01T09:00:00-07:00
freeze = 2026-10-08T08:00:00-07:00
end = 2026-10-08T09:00:00-07:00
counts = "last"
per_hour = 6
gpu_model = "NVIDIA H100 80GB HBM3"
hidden_seeds = [7, 8]
practice_after_end = true
teams = true

[late]
percent_per_hour = 10
hours = 24

[[problems]]
name = "matmul"
weight = 2.5
title = "Multiply"

[[problems]]
name = "zip"
"""
START = datetime(2026, 10, 1, 16, tzinfo=timezone.utc)
END = START + timedelta(days=7)
HOUR = timedelta(hours=1)
KNOWN = ("map", "matmul", "zip")


def parsed(text: str = GOOD) -> Settings:
    return parse_settings(text, "cs149-a1", "contest.toml", KNOWN)


def mistakes(text: str) -> str:
    with pytest.raises(UsageError) as error:
        parsed(text)
    return error.value.message


def test_every_key_is_read() -> None:
    settings = parsed()
    assert (settings.title, settings.counts, settings.per_hour) == ("CS 149, assignment 1", "last", 6)
    assert (settings.start, settings.freeze, settings.end) == (START, END - HOUR, END)
    assert [(p.name, p.weight, p.title) for p in settings.problems] == [
        ("matmul", 2.5, "Multiply"),
        ("zip", 1.0, ""),
    ]
    assert settings.late == Late(10.0, 24.0)
    assert settings.practice_after_end and settings.teams and settings.is_timed
    assert settings.most_points == 3.5


def test_what_may_be_left_out() -> None:
    text = 'start = 2026-10-01T09:00:00Z\nend = 2026-10-02T09:00:00Z\n[[problems]]\nname = "zip"\n'
    settings = parsed(text)
    assert settings.title == "cs149-a1"
    assert settings.freeze is None and settings.gpu_model is None and settings.hidden_seeds == ()
    assert (settings.counts, settings.per_hour, settings.late) == ("best", 20, Late())
    assert not settings.is_timed


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("end = 2026-10-08T09", "end = 2026-09-08T09", 'end = "2026-09-08 09:00:00-07:00": a time after the start'),
        ("freeze = 2026-10-08T08", "freeze = 2026-11-08T08", "freeze = "),
        ("start = 2026-10-01T09:00:00-07:00", "start = 2026-10-01T09:00:00", "a zone is missing"),
        ("start = 2026-10-01T09:00:00-07:00", "start = 2026-10-01", "a day and a time with its zone"),
        ("start = 2026-10-01T09:00:00-07:00", "start = 9", "start = 9: a time with its zone"),
        ("start = 2026-10-01T09:00:00-07:00", 'start = "soon"', 'start = "soon": a time with its zone'),
        ("start = 2026-10-01T09:00:00-07:00", "", "start = (missing)"),
        ("end = 2026-10-08T09:00:00-07:00", "end = 9999-12-31T23:59:59-14:00", "a year from 2000 to 2199"),
        ('counts = "last"', 'counts = "worst"', 'counts = "worst": "best" or "last" is expected'),
        ("per_hour = 6", "per_hour = 0", "per_hour = 0: a whole number from 1 to 10,000"),
        ("per_hour = 6", "per_hour = 6.5", "per_hour = 6.5"),
        ("per_hour = 6", "per_hour = true", "per_hour = true"),
        ("[7, 8]", "[7, -8]", "hidden_seeds = [7, -8]"),
        ("[7, 8]", "[]", "hidden_seeds = []"),
        ("teams = true", 'teams = "yes"', 'teams = "yes": true or false'),
        ("weight = 2.5", "weight = 0", "problems[1].weight = 0: a number above 0"),
        ("weight = 2.5", "weight = -1", "problems[1].weight = -1"),
        ("weight = 2.5", "weight = nan", "problems[1].weight = nan"),
        ('name = "zip"', 'name = "ziip"', "did you mean 'zip'?"),
        ('name = "zip"', 'name = "matmul"', 'problems[2].name = "matmul": each problem once'),
        ('name = "zip"', "", "problems[2].name = (missing)"),
        ("percent_per_hour = 10", "percent_per_hour = 101", "late.percent_per_hour = 101"),
        ("hours = 24", "", "late.hours = (missing)"),
        ("hours = 24", "hour = 24", "did you mean 'hours'?"),
        ("freeze =", "freze =", "did you mean 'freeze'?"),
        ('title = "CS', 'title = "\\u0000CS', "title = "),
    ],
)
def test_a_mistake_is_named(old: str, new: str, words: str) -> None:
    assert GOOD.count(old) == 1
    message = mistakes(GOOD.replace(old, new))
    assert message.startswith("contest.toml")
    assert words in message


def test_a_contest_without_a_title_has_its_name() -> None:
    settings = parse_settings(
        GOOD.replace('title = "CS 149, assignment 1"', 'title = "  "'), "cs149-a1", "contest.toml"
    )
    assert settings.title == "cs149-a1"


def test_all_mistakes_are_named_at_once() -> None:
    message = mistakes(GOOD.replace("per_hour = 6", "per_hour = 0").replace('"last"', '"worst"'))
    assert "2 mistakes" in message
    assert "counts" in message and "per_hour" in message


def test_no_problem_is_a_mistake() -> None:
    assert "problems = (missing): one or more tables [[problems]]" in mistakes(GOOD[: GOOD.index("[[problems]]")])


def test_broken_toml_is_named_with_its_line() -> None:
    assert "line 2" in mistakes('\ntitle = "open\n')


@pytest.mark.parametrize("slug", ["", "A", "a b", "../x", "-a", "a-", "a" * 41, "ä"])
def test_a_slug_is_fit_for_folders_and_addresses(slug: str) -> None:
    with pytest.raises(UsageError, match="small letters"):
        parse_settings(GOOD, slug, "contest.toml")


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a1" / "contest.toml"
    with pytest.raises(UsageError, match="there is no"):
        read_settings(path)
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_settings(path, KNOWN).slug == "a1"
    path.write_bytes(b'title = 1\ntitle2 = "\xff"\n')
    with pytest.raises(UsageError, match="line 2: this is not UTF-8"):
        read_settings(path)
    path.write_bytes(b"#" * 200_000)
    with pytest.raises(UsageError, match="more than 100,000 bytes"):
        read_settings(path)


@pytest.mark.parametrize("text", [GOOD, GOOD.replace("[7, 8]", '"secret"').replace("freeze", "# freeze")])
def test_settings_come_back_from_json(text: str) -> None:
    settings = parsed(text)
    assert settings_from_json(settings_to_json(settings), "cs149-a1") == settings


def test_what_counts_and_what_is_late() -> None:
    settings = parsed()
    assert not settings.accepts_at(START - timedelta(seconds=1))
    assert settings.counts_at(START) and settings.counts_at(END)
    assert settings.late_by(END) == timedelta(0)
    assert settings.late_by(END + HOUR) == HOUR
    assert settings.late_by(END + HOUR, extension=HOUR) == timedelta(0)
    assert settings.counts_at(END + 24 * HOUR)
    assert not settings.counts_at(END + 24 * HOUR + timedelta(seconds=1))
    assert settings.accepts_at(END + 1000 * HOUR)
    assert not parsed(GOOD.replace("practice_after_end = true", "")).accepts_at(END + 1000 * HOUR)


def test_each_hour_begun_costs_its_share() -> None:
    late = Late(10.0, 24.0)
    assert late.share(timedelta(0)) == 1.0
    assert late.share(timedelta(seconds=1)) == pytest.approx(0.9)
    assert late.share(HOUR) == pytest.approx(0.9)
    assert late.share(HOUR + timedelta(seconds=1)) == pytest.approx(0.8)
    assert late.share(20 * HOUR) == 0.0
    assert late.share(25 * HOUR) == 0.0
    assert Late().share(timedelta(seconds=1)) == 0.0


def test_the_freeze_goes_by_the_moment_of_submission() -> None:
    settings = parsed()
    assert not settings.is_frozen_at(END - HOUR - timedelta(microseconds=1))
    assert settings.is_frozen_at(END - HOUR)


def test_hidden_seeds_are_the_same_for_all_and_differ_by_problem_and_contest() -> None:
    settings = parsed()
    assert settings.hidden_seed("zip") == parsed().hidden_seed("zip")
    assert settings.hidden_seed("zip") != settings.hidden_seed("matmul")
    other = parse_settings(GOOD, "other", "contest.toml")
    assert settings.hidden_seed("zip") != other.hidden_seed("zip")
    assert parsed(GOOD.replace("[7, 8]", '"secret"')).hidden_seed("zip") is None
