"""What passes between the queue and a worker: a Job to judge, its Outcome, and what both sides offer.

Plain data and protocols; the queues and the worker are elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import Connection

from grader.contest.records import ANY_GPU

if TYPE_CHECKING:
    from grader.core.report import Report

LEASE = timedelta(seconds=25)
"""How long a worker that is silent keeps its work."""

RETRIES = 1
"""How often work is given on at which a worker stalled, or the judge failed. Then staff have to look at it."""

MOST_DIAGNOSTICS, MOST_WORDS = 100, 4000


class Stalled(Exception):
    """A grading that had to be ended from outside; in words why, and at which step."""


@dataclass(frozen=True)
class Claim:
    """What a worker holds: a judging and the attempt that is its own, without which nothing is written."""

    judging_id: int
    attempt: int


@dataclass(frozen=True)
class Job(Claim):
    """Work that was claimed. `hidden_seed` is the contest's; None lets the judge draw one. `grading_seconds` are the
    most that the grading may take on the wall.
    """

    submission_id: int
    contest: str
    problem: str
    file: str
    text: str
    account: str
    hidden_seed: int | None
    grading_seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a judging ended in; `report` is the report's JSON without the source.

    With `is_open` nothing in it depends on a hidden case. `colours` are the source's, for pages.
    """

    verdict: str
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None
    report: str | None = None
    is_open: bool = False
    colours: str | None = None


def outcome_of(report: Report) -> Outcome:
    """The outcome that a report says, of which so much is kept that a page of it is quickly made."""
    from dataclasses import replace

    from grader.core.report import to_json
    from grader.store.entry import summarize

    summary = summarize(0, report)
    bounds = (summary.score, summary.score_low, summary.score_high)
    said = tuple(replace(d, message=d.message[:MOST_WORDS], hint=d.hint[:MOST_WORDS]) for d in report.diagnostics)
    kept = replace(report, source="", diagnostics=said[:MOST_DIAGNOSTICS])
    return Outcome(report.verdict.value, *bounds, report=to_json(kept))


class WorkSource(Protocol):
    """Where a worker gets its work: the database's queue, or a server's HTTP API."""

    def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
        """The next job that such a GPU can take; None where there is none. It is the worker's for LEASE."""

    def heartbeat(self, job: Claim, progress: str) -> bool:
        """Keeps the job for another LEASE. False: the attempt is no longer current, so the work is in vain."""

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        """Hands the outcome in. False: the attempt was no longer current, and nothing was recorded."""

    def release(self, job: Claim) -> bool:
        """Gives the job back unjudged, as if it had not been claimed."""

    def stalled(self, job: Claim, why: str) -> bool:
        """Gives the job back because its grading had to be ended: it is given on once, and then held for staff."""

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        """Notes that the worker lives, what it does, and why."""


class Queue(WorkSource, Protocol):
    """The queue of a database. What takes a connection is part of the caller's transaction."""

    def enqueue(self, connection: Connection, submission_id: int, gpu_model: str, rejudge_id: int | None = None) -> int:
        """Queues a submission, to count at once unless it belongs to a rejudge; the number of the judging."""

    def judge_again(self, submission_ids: Collection[int], who: str) -> int:
        """Queues those of these submissions' judgings that are held; how many."""

    def withdraw(self, connection: Connection, judging_id: int) -> None:
        """Ends a judging that is not to be made any more; who works on it hears so at the next heartbeat."""


def takes(gpu_model: str, queue: str) -> bool:
    """Whether a worker on `gpu_model` may take from `queue`: its words are all in the model's name.

    "H200" is thus served by "NVIDIA H200", and not by "NVIDIA H100 80GB HBM3".
    """
    return queue == ANY_GPU or _words(queue) <= _words(gpu_model)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))
