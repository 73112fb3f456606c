"""What passes between the queue and a worker: a Job to judge, its Outcome, and what both sides offer.

Plain data and protocols; the queues and the worker are elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import Connection

from grader.contest.records import ANY_GPU

if TYPE_CHECKING:
    from grader.report import Report

LEASE = timedelta(seconds=60)
"""How long a worker that is silent keeps its work."""

RETRIES = 3
"""How often stalled work is tried again before it ends as the judge's own failure."""


@dataclass(frozen=True)
class Claim:
    """What a worker holds: a judging and the attempt that is its own, without which nothing is written."""

    judging_id: int
    attempt: int


@dataclass(frozen=True)
class Job(Claim):
    """Work that was claimed. `hidden_seed` is the contest's; None lets the judge draw one."""

    submission_id: int
    contest: str
    problem: str
    file: str
    text: str
    account: str
    hidden_seed: int | None


@dataclass(frozen=True)
class Outcome:
    """What a judging ended in; `report` is the report's JSON without the source."""

    verdict: str
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None
    report: str | None = None


def outcome_of(report: Report) -> Outcome:
    """The outcome that a report says."""
    from dataclasses import replace

    from grader.report import to_json
    from grader.store.entry import summarize

    summary = summarize(0, report)
    bounds = (summary.score, summary.score_low, summary.score_high)
    return Outcome(report.verdict.value, *bounds, report=to_json(replace(report, source="")))


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

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        """Notes that the worker lives, what it does, and why."""


class Queue(WorkSource, Protocol):
    """The queue of a database. What takes a connection is part of the caller's transaction."""

    def enqueue(self, connection: Connection, submission_id: int, gpu_model: str, rejudge_id: int | None = None) -> int:
        """Queues a submission, to count at once unless it belongs to a rejudge; the number of the judging."""

    def withdraw(self, connection: Connection, judging_id: int) -> None:
        """Ends a judging that is not to be made any more; who works on it hears so at the next heartbeat."""


def takes(gpu_model: str, queue: str) -> bool:
    """Whether a worker on `gpu_model` may take from `queue`: its words are all in the model's name.

    "H200" is thus served by "NVIDIA H200", and not by "NVIDIA H100 80GB HBM3".
    """
    return queue == ANY_GPU or _words(queue) <= _words(gpu_model)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))
