"""The requests and responses of the HTTP API, from which the OpenAPI document is generated.

Numbers and texts are bounded here, so that later code need not check their size.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from grader.boards.code import LARGEST_COLOURS
from grader.contest.access import LARGEST_NUMBER
from grader.contest.jobs import LARGEST_PAGE
from grader.contest.limits import LARGEST_SOURCE
from grader.contest.run_sizes import LONGEST as LONGEST_SIZES
from grader.core.verdict import LanguageName, Verdict

LARGEST_REAL = 1e12
LONGEST_GROUPS = 4000


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Mistake(BaseModel):
    """Why a request was refused, and what to do next where there is something."""

    error: str
    hint: str


class Problem(BaseModel):
    name: str
    title: str
    weight: float


class News(BaseModel):
    created: datetime
    text: str


class Contest(BaseModel):
    """A contest as this account sees it: `problems` is null before the start, `ends` has the account's extension.

    `scored_by` says what scores come from if that is no measurement, such as "model time on H200, not measured".
    """

    slug: str
    title: str
    now: datetime
    start: datetime
    freeze: datetime | None
    end: datetime | None
    ends: datetime | None
    counts: str
    per_hour: int
    scored_by: str
    problems: list[Problem] | None
    announcements: list[News]


class Me(BaseModel):
    name: str
    contest: str
    role: str
    team: str | None
    ends: datetime | None
    disqualified: str | None


class NewSubmission(Strict):
    """`source` is the file's text. The same `key` again gives the first one's number, so that a request without an
    answer can be repeated."""

    problem: str = Field(max_length=200)
    file: str = Field(max_length=1000)
    source: str = Field(max_length=LARGEST_SOURCE)
    key: str | None = Field(default=None, max_length=64)


class NewRun(Strict):
    """`sizes` is a text such as "M=5 N=7", which is tried alone; without one a few small cases are."""

    problem: str = Field(max_length=200)
    file: str = Field(max_length=1000)
    source: str = Field(max_length=LARGEST_SOURCE)
    sizes: str = Field(default="", max_length=LONGEST_SIZES)


class Run(BaseModel):
    """A run is forgotten after an hour. `report` is null before it is judged, and when a later run took its place."""

    id: int
    contest: str
    problem: str
    file: str
    state: str
    verdict: str | None
    url: str
    report: dict[str, Any] | None


class Submitted(BaseModel):
    id: int
    url: str


class State(BaseModel):
    """How far a submission is, in words and in numbers."""

    state: str
    words: str
    place: int | None
    done: int
    total: int
    verdict: str | None


class Points(BaseModel):
    value: float
    low: float
    high: float


class Part(BaseModel):
    """The points in a group of a problem with partial credit: "visible", "hidden" (cases), "speed", or the name
    that the instructor gave a group of cases."""

    group: str
    points: Points
    most: float


class Submission(BaseModel):
    """`report` is what `kgrade submit --json` prints at home, with its source; it and `language` are null before the
    verdict. `parts` are its points by group, where the problem gives partial credit; in lists they are left out."""

    id: int
    contest: str
    user: str
    problem: str
    file: str
    language: str | None
    submitted: datetime
    practice: bool
    late_seconds: int
    disqualified: str | None
    state: str
    verdict: str | None
    score: float | None
    url: str
    report: dict[str, Any] | None = None
    parts: list[Part] = []


class Cell(BaseModel):
    problem: str
    points: Points
    verdict: str | None
    language: str | None
    attempts: int
    pending: int
    hidden: int
    parts: list[Part]


class BoardRow(BaseModel):
    rank: int
    name: str
    points: Points
    cells: list[Cell]


class Scoreboard(BaseModel):
    contest: str
    frozen: bool
    rows: list[BoardRow]


class Ask(Strict):
    gpu_model: str = Field(min_length=1, max_length=100)
    name: str = Field(min_length=1, max_length=100)


class Held(Strict):
    judging_id: int = Field(ge=1, le=LARGEST_NUMBER)
    attempt: int = Field(ge=0, le=LARGEST_NUMBER)


class Beat(Held):
    progress: str = Field(max_length=500)


class Stall(Held):
    why: str = Field(max_length=500)


class Result(Held):
    verdict: Verdict
    score: float | None = Field(default=None, ge=0, le=LARGEST_REAL)
    score_low: float | None = Field(default=None, ge=0, le=LARGEST_REAL)
    score_high: float | None = Field(default=None, ge=0, le=LARGEST_REAL)
    report: str | None = None
    is_open: bool = False
    colours: str | None = Field(default=None, max_length=LARGEST_COLOURS)
    language: LanguageName | None = None
    groups: str | None = Field(default=None, max_length=LONGEST_GROUPS)


class Sign(Ask):
    state: str = Field(max_length=20)
    note: str = Field(default="", max_length=2000)


class Work(BaseModel):
    judging_id: int
    attempt: int
    submission_id: int | None
    contest: str
    problem: str
    file: str
    text: str
    account: str
    hidden_seed: int | None
    grading_seconds: float
    run_id: int | None = None
    sizes: dict[str, int] | None = None
    groups: list[dict[str, Any]] = []
    model_time: str | None = None
    model_scores: bool = False


class Claimed(BaseModel):
    job: Work | None


class Nothing(Strict):
    pass


class Asked(BaseModel):
    """A source to explain; `home` is the contest's page."""

    number: int
    attempt: int
    problem: str
    file: str
    text: str
    home: str


class AskedOrNot(BaseModel):
    question: Asked | None


class Explained(Strict):
    """The page of an explanation, or a note that says why there is none."""

    number: int = Field(ge=1, le=LARGEST_NUMBER)
    attempt: int = Field(ge=0, le=LARGEST_NUMBER)
    page: str | None = Field(default=None, max_length=LARGEST_PAGE)
    note: str = Field(default="", max_length=2000)


class Counted(BaseModel):
    """Whether the attempt was still the current one."""

    current: bool


class Waiting(BaseModel):
    """How many submissions a worker could claim."""

    waiting: int
