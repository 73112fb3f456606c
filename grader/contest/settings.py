"""A contest's settings: reads `contests/<slug>/contest.toml` into a frozen Settings, or reports every mistake at once.

It decides when something counts (start, freeze, end, lateness); accounts, submissions and the database are elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from reprlib import repr as short
from typing import Any

from grader.boards.words import model_board
from grader.contest.credit_reader import credit_of, credit_to_data
from grader.contest.groups import group_to_data
from grader.contest.partial import Credit
from grader.contest.settings_reader import Reader, problem_tables
from grader.core import toml
from grader.core.errors import UsageError
from grader.model.gpus import GPUS

EMULATOR = "emulator"
PRACTICE = "practice"
"""The slug of the standing contest of a workspace, which no other contest may have."""
LONGEST_SLUG = 40
MOST_BYTES = 100_000
CLASS, PUBLIC, ANONYMOUS = "class", "public", "anonymous"
"""Who sees which scoreboard: the contest's accounts, everybody, or each student only the own name."""
ROSTER, ASK = "roster", "ask"
"""Who enters by an identity provider: people on the roster, or also those who ask and whom staff let in."""
KEYS = (
    "title",
    "start",
    "freeze",
    "end",
    "counts",
    "per_hour",
    "gpu_model",
    "model_time",
    "grading_seconds",
    "hidden_seeds",
    "practice_after_end",
    "teams",
    "scoreboard",
    "explain",
    "entry",
    "late",
    "problems",
)


@dataclass(frozen=True)
class ContestProblem:
    """A problem of the contest. Its points are `weight` times a score from 0 to 1.

    With `credit` they are the sum of its groups instead, and `weight` is the most that can be had.
    """

    name: str
    weight: float = 1.0
    title: str = ""
    credit: Credit | None = None


@dataclass(frozen=True)
class Late:
    """The late policy: a submission loses `percent` of its points per hour begun, and counts for up to `hours`."""

    percent: float = 0.0
    hours: float = 0.0

    def share(self, late: timedelta) -> float:
        """The share of the points that remains, 0 to 1."""
        if late <= timedelta(0):
            return 1.0
        if late > timedelta(hours=self.hours):
            return 0.0
        return max(0.0, 1.0 - self.percent / 100 * -(-late // timedelta(hours=1)))


@dataclass(frozen=True)
class Settings:
    """A contest's settings. Times are aware; `freeze` and `end` are None where there is none.

    `gpu_model` names the GPU whose times rank; with "emulator", or None for any free machine, an accepted submission
    scores 1. With `model_time`, the name of a GPU, what the emulator accepts gets model times on that, and in a contest
    on the emulator these rank. `hidden_seeds` is empty if each grading draws its own seed. `grading_seconds` limits the
    wall time of one grading. With `explain`, students may have their accepted submissions explained. `entry` is ROSTER
    or ASK.
    """

    slug: str
    title: str
    problems: tuple[ContestProblem, ...]
    start: datetime
    end: datetime | None
    freeze: datetime | None = None
    counts: str = "best"
    per_hour: int = 20
    hidden_seeds: tuple[int, ...] = ()
    gpu_model: str | None = None
    late: Late = Late()
    practice_after_end: bool = False
    teams: bool = False
    scoreboard: str = CLASS
    grading_seconds: int = 300
    explain: bool = False
    entry: str = ROSTER
    model_time: str | None = None

    @property
    def is_timed(self) -> bool:
        """Whether scores are shares of the speed of light; otherwise every accepted submission scores 1."""
        return self.gpu_model not in (None, EMULATOR) or self.by_model

    @property
    def by_model(self) -> bool:
        """Whether scores are those of a model's times: nothing is measured."""
        return self.gpu_model == EMULATOR and self.model_time is not None

    @property
    def scored_by(self) -> str:
        """What scores come from, if that is no measurement: for the boards' columns."""
        return model_board(self.model_time) if self.by_model and self.model_time else ""

    @property
    def most_points(self) -> float:
        return sum(problem.weight for problem in self.problems)

    def problem(self, name: str) -> ContestProblem | None:
        return next((problem for problem in self.problems if problem.name == name), None)

    def groups_of(self, problem: str) -> list[dict[str, Any]]:
        """The problem's groups of cases as data, for who judges; empty without partial credit by groups."""
        found = self.problem(problem)
        return [group_to_data(each) for each in found.credit.groups] if found and found.credit else []

    def hidden_seed(self, problem: str) -> int | None:
        """The seed with which every submission to the problem is graded; None for a new one in each grading.

        It is the same for all students, so that nobody gets harder sizes, and differs between problems.
        """
        if not self.hidden_seeds:
            return None
        words = "\0".join([*map(str, self.hidden_seeds), self.slug, problem])
        return int.from_bytes(sha256(words.encode()).digest()[:6], "big")

    def late_by(self, submitted: datetime, extension: timedelta = timedelta(0)) -> timedelta:
        """How long after the contest's end, extended for this account, something was submitted; zero if in time."""
        if self.end is None:
            return timedelta(0)
        return max(timedelta(0), submitted - self.end - extension)

    def counts_at(self, submitted: datetime, extension: timedelta = timedelta(0)) -> bool:
        """Whether a submission at that moment counts: after the start, and not later than the late policy allows."""
        late = self.late_by(submitted, extension)
        return submitted >= self.start and (late == timedelta(0) or late <= timedelta(hours=self.late.hours))

    def accepts_at(self, submitted: datetime, extension: timedelta = timedelta(0)) -> bool:
        """Whether a submission at that moment is accepted at all, if only for practice."""
        if submitted < self.start:
            return False
        return self.counts_at(submitted, extension) or self.practice_after_end

    def is_frozen_at(self, submitted: datetime) -> bool:
        """Whether a result submitted at that moment stays hidden until the scoreboard is unfrozen."""
        return self.freeze is not None and submitted >= self.freeze


def check_slug(slug: str) -> None:
    """Raises UsageError for a name that can't be used as a folder and in a URL."""
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", slug) or len(slug) > LONGEST_SLUG:
        raise UsageError(
            f"the contest's name {short(slug)} can't be used: up to {LONGEST_SLUG} small letters, digits and dashes "
            "are expected, as in cs149-a1",
            "type: kgrade contest new cs149-a1",
        )


def read_settings(path: Path, problems: Collection[str] | None = None) -> Settings:
    """Reads the settings from the file; the folder's name is the contest's. `problems` are the known problems' names.

    Raises UsageError listing every mistake: file, key, value, and what is expected.
    """
    try:
        data = path.read_bytes()[: MOST_BYTES + 1]
    except FileNotFoundError:
        raise UsageError(f"there is no {path}", f"make it with: kgrade contest new {path.parent.name}") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}", "make it a readable file") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES:,} bytes", "a contest's settings are shorter than that")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: this is not UTF-8 text", "save the file as UTF-8") from error
    return parse_settings(text, path.parent.name, str(path), problems)


def parse_settings(text: str, slug: str, place: str, problems: Collection[str] | None = None) -> Settings:
    """Parses the settings in a TOML text. `place` names the text in messages. Raises UsageError."""
    try:
        data = toml.loads(text.replace("\r\n", "\n"))
    except toml.TOMLDecodeError as error:
        raise UsageError(
            f"{place}: {error}",
            'a line is KEY = VALUE; texts stand in quotes ("best"), times have a zone (2026-10-01T09:00:00+02:00)',
        ) from error
    return settings_from_data(data, slug, place, problems)


def settings_from_data(
    data: Mapping[str, Any], slug: str, place: str, problems: Collection[str] | None = None
) -> Settings:
    """The settings from the data of TOML or `settings_to_json`. Raises UsageError listing every mistake."""
    check_slug(slug)
    read = Reader(data)
    read.only(KEYS)
    title = read.text("title", default="") or slug
    start, end = read.time("start"), read.time("end", required=slug != PRACTICE)
    freeze = read.time("freeze", required=False)
    late = read.table("late", ("percent_per_hour", "hours"))
    settings = Settings(
        slug=slug,
        title=title,
        problems=tuple(_problem(table) for table in problem_tables(read, problems)),
        start=start or _EPOCH,
        end=end if slug == PRACTICE else end or _EPOCH,
        freeze=freeze,
        counts=read.choice("counts", ("best", "last"), default="best"),
        per_hour=read.whole("per_hour", default=20, least=1, most=10_000),
        hidden_seeds=read.seeds("hidden_seeds"),
        gpu_model=read.text("gpu_model", default="") or None,
        model_time=read.choice("model_time", ("", *(gpu.name for gpu in GPUS)), default="") or None,
        late=Late(
            late.number("percent_per_hour", default=0.0, least=0.0, at_most=100.0),
            late.number("hours", default=0.0, least=0.0, at_most=24.0 * 365),
        ),
        practice_after_end=read.flag("practice_after_end"),
        teams=read.flag("teams"),
        scoreboard=read.choice("scoreboard", (CLASS, PUBLIC, ANONYMOUS), default=CLASS),
        explain=read.flag("explain"),
        entry=read.choice("entry", (ROSTER, ASK), default=ROSTER),
        grading_seconds=read.whole("grading_seconds", default=300, least=10, most=86_400),
    )
    for number, each in enumerate(settings.problems, start=1):
        if each.credit is not None and each.credit.hidden and not settings.hidden_seeds:
            wanted = "no points for hidden cases without hidden_seeds: every case is then visible; 0"
            read.mistake(f"problems[{number}].credit.hidden", each.credit.hidden, wanted)
        if each.credit is not None and each.credit.groups and not settings.hidden_seeds:
            wanted = "no groups without hidden_seeds, from which their cases are drawn: none"
            read.mistake(f"problems[{number}].credit.groups", len(each.credit.groups), wanted)
        if each.credit is not None and each.credit.speed and not settings.is_timed:
            wanted = "no points for speed without a GPU in gpu_model or in model_time: nothing is timed; no threshold"
            read.mistake(f"problems[{number}].credit.speed", len(each.credit.speed), wanted)
    if settings.model_time and settings.gpu_model != EMULATOR and slug != PRACTICE:
        wanted = 'no model time unless gpu_model is "emulator", so that all have one; ""'
        read.mistake("model_time", settings.model_time, wanted)
    if settings.late.percent and not settings.late.hours:
        read.mistake("late.hours", late.get("hours") or "(missing)", "the hours for which late work is taken, above 0,")
    if start and end and end <= start:
        read.mistake("end", end.isoformat(" "), f"a time after the start, {start.isoformat(' ')}")
    elif start and end and freeze and not start <= freeze <= end:
        read.mistake("freeze", freeze.isoformat(" "), f"a time from start to end ({start} to {end})")
    read.raise_mistakes(place, slug)
    return settings


def settings_to_json(settings: Settings) -> str:
    """The settings as JSON with the file's keys, for the database; `settings_from_json` reads them back."""
    return json.dumps(
        {
            "title": settings.title,
            "start": settings.start.isoformat(),
            **({"end": settings.end.isoformat()} if settings.end else {}),
            **({"freeze": settings.freeze.isoformat()} if settings.freeze else {}),
            "counts": settings.counts,
            "per_hour": settings.per_hour,
            "gpu_model": settings.gpu_model or "",
            "model_time": settings.model_time or "",
            "hidden_seeds": list(settings.hidden_seeds) or "secret",
            "practice_after_end": settings.practice_after_end,
            "teams": settings.teams,
            "scoreboard": settings.scoreboard,
            "explain": settings.explain,
            "entry": settings.entry,
            "grading_seconds": settings.grading_seconds,
            "late": {"percent_per_hour": settings.late.percent, "hours": settings.late.hours},
            "problems": [_problem_data(each) for each in settings.problems],
        }
    )


def _problem(table: Reader) -> ContestProblem:
    name, title = table.text("name"), table.text("title", default="")
    if table.get("credit") is None:
        return ContestProblem(name, table.number("weight", default=1.0, above=0.0, at_most=1e6), title)
    if table.get("weight") is not None:
        table.mistake("weight", table.get("weight"), "no weight beside credit, whose points are the most that")
    credit = credit_of(table)
    return ContestProblem(name, credit.most or 1.0, title, credit)


def _problem_data(problem: ContestProblem) -> dict[str, object]:
    found: dict[str, object] = {"name": problem.name, "title": problem.title}
    if problem.credit is None:
        return found | {"weight": problem.weight}
    return found | {"credit": credit_to_data(problem.credit)}


@lru_cache(maxsize=256)
def settings_from_json(text: str, slug: str) -> Settings:
    """The inverse of `settings_to_json`. Problems are not looked up, because they may be gone from this machine.

    Raises UsageError.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise UsageError(
            f"the settings of {slug} are {short(text)}, where a JSON object is expected",
            f"write them again: kgrade contest check {slug}",
        )
    return settings_from_data(data, slug, f"the settings of {slug}")


_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
