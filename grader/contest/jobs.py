"""The data passed between the queue and a worker, a Job and its Outcome, and the protocols of both sides.

Plain data and protocols; the queues and the worker are elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Connection

from grader.contest.records import ANY_GPU

if TYPE_CHECKING:
    from grader.core.report import Report

LEASE = timedelta(seconds=25)
"""How long a silent worker keeps its work."""

RETRIES = 1
"""How often work is passed on after a worker stalled or the judge failed, before staff have to look at it."""

EXPLAIN_SECONDS = 90.0
"""How long a worker may take to explain a source."""
LARGEST_PAGE = 3 << 20
"""Characters of an explanation's page."""

MOST_DIAGNOSTICS, MOST_WORDS = 100, 4000


class Stalled(Exception):
    """A grading that had to be killed; the message says why and at which step."""


@dataclass(frozen=True)
class Claim:
    """A worker's claim: a judging and its attempt, the fencing token without which nothing is written."""

    judging_id: int
    attempt: int


@dataclass(frozen=True)
class Job(Claim):
    """Claimed work. `hidden_seed` is the contest's, None if it has none. `grading_seconds` limits the wall time of the
    grading. A run has a `run_id` in place of a `submission_id`, and the `sizes` to try if its sender chose them.
    `groups` are groups of cases with points of their own, as data. `model_time` names a GPU whose model time is
    computed where the emulator accepts; with `model_scores` the score is that of these times.
    """

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
    groups: Sequence[Mapping[str, Any]] = ()
    model_time: str | None = None
    model_scores: bool = False

    @property
    def name(self) -> str:
        """What is judged, in a worker's words."""
        return f"submission {self.submission_id}" if self.run_id is None else f"run {self.run_id}"


@dataclass(frozen=True)
class Question:
    """A source to explain; `number` and `attempt` are the claim. `home` is the contest's page."""

    number: int
    attempt: int
    problem: str
    file: str
    text: str
    home: str


@dataclass(frozen=True)
class Answer:
    """The page of an explanation, or a note that says why there is none."""

    page: str | None
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """The result of a judging; `report` is the report's JSON without the source.

    If `is_open`, nothing in it depends on a hidden case. `colours` is the source's syntax colouring for pages,
    `language` what the source is written in, None without a report. `groups` are the groups of cases that were
    passed, as `groups.passed_to_text` writes them; None where there are none.
    """

    verdict: str
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None
    report: str | None = None
    is_open: bool = False
    colours: str | None = None
    language: str | None = None
    groups: str | None = None


def outcome_of(report: Report, *, model_scores: bool = False) -> Outcome:
    """The outcome of a report; the report is cut so that its page renders quickly.

    With `model_scores` its score is that of its model times.
    """
    from dataclasses import replace

    from grader.core.report import to_json
    from grader.store.entry import summarize

    summary = summarize(0, report)
    bounds = (summary.score, summary.score_low, summary.score_high)
    if model_scores and report.ranks_by_model:
        # A model's times have no noise: nothing is gained by luck, and no interval makes a tie.
        bounds = (summary.model_score,) * 3
    said = tuple(replace(d, message=d.message[:MOST_WORDS], hint=d.hint[:MOST_WORDS]) for d in report.diagnostics)
    kept = replace(report, source="", diagnostics=said[:MOST_DIAGNOSTICS])
    return Outcome(report.verdict.value, *bounds, report=to_json(kept), language=report.language.value)


class WorkSource(Protocol):
    """A source of work for a worker: the database's queue, or a server's HTTP API."""

    def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
        """Claims the next job for this GPU model, for LEASE; None if there is none."""

    def heartbeat(self, job: Claim, progress: str) -> bool:
        """Renews the lease. Returns False if the attempt is no longer current, so that the work is in vain."""

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        """Delivers the outcome. Returns False if the attempt was no longer current and nothing was recorded."""

    def release(self, job: Claim) -> bool:
        """Gives the job back unjudged, as if it had not been claimed."""

    def stalled(self, job: Claim, why: str) -> bool:
        """Gives the job back because its grading had to be killed: it is retried once, then held for staff."""

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        """Records that the worker is alive, with its state and a note."""


class Queue(WorkSource, Protocol):
    """The queue of a database. Methods that take a connection run in the caller's transaction."""

    def enqueue(self, connection: Connection, submission_id: int, gpu_model: str, rejudge_id: int | None = None) -> int:
        """Queues a submission and returns the judging's number; it is active at once unless part of a rejudge."""

    def waiting(self) -> int:
        """How many judgings a worker could claim now, on whatever GPU."""

    def enqueue_run(self, connection: Connection, run_id: int, gpu_model: str) -> None:
        """Queues a run, at the current turn: an account has one at a time."""

    def judge_again(self, submission_ids: Collection[int], who: str) -> int:
        """Queues the held judgings of these submissions again; returns how many."""

    def recover(self) -> None:
        """Gives on, or holds, the work of workers that fell silent. Each claim does so too."""

    def withdraw(self, connection: Connection, judging_id: int) -> None:
        """Cancels a judging; a worker that runs it learns so at its next heartbeat."""


def takes(gpu_model: str, queue: str) -> bool:
    """Whether a worker on `gpu_model` serves `queue`: all words of the queue's name must be in the model's name.

    "H200" is thus served by "NVIDIA H200", and not by "NVIDIA H100 80GB HBM3".
    """
    return queue == ANY_GPU or _words(queue) <= _words(gpu_model)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))
