"""The records that the contests' database returns: a frozen dataclass per table, and the joined row shown in lists.

Plain data with the names of the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

STUDENT, STAFF = "student", "staff"
QUEUED, RUNNING, JUDGED, HELD = "queued", "running", "judged", "held"
APPLIED, DROPPED = "applied", "dropped"
IDLE, JUDGING, OUT, GONE, DEAD = "idle", "judging", "out", "gone", "dead"
"""The states of a worker; OUT took itself out of service, GONE was told to stop, DEAD fell silent and
is never stored."""

ANY_GPU = "any"
"""The queue of a contest without a GPU model: every worker serves it."""


@dataclass(frozen=True)
class ContestRecord:
    """`settings` is JSON text."""

    slug: str
    settings: str
    updated: datetime


@dataclass(frozen=True)
class TeamRecord:
    id: int
    contest: str
    name: str


@dataclass(frozen=True)
class NewAccount:
    """An account to add; `team` is a name, and a new team is created."""

    name: str
    email: str = ""
    role: str = STUDENT
    team: str | None = None
    token_hash: str | None = None
    link_hash: str | None = None
    subject: str | None = None


@dataclass(frozen=True)
class EntryRecord:
    """Who asks to enter a contest: known by `value`, of the `kind` "email" or "subject"; the name is their own word."""

    id: int
    contest: str
    kind: str
    value: str
    name: str
    asked: datetime
    refused: datetime | None
    refused_by: str | None


@dataclass(frozen=True)
class DraftRecord:
    """What an account has typed and not handed in."""

    text: str
    saved: datetime


@dataclass(frozen=True)
class AccountRecord:
    """An account; `team` is the name of the team `team_id`, `subject` who it is to an identity provider."""

    id: int
    contest: str
    name: str
    email: str
    role: str
    team_id: int | None
    token_hash: str | None
    link_hash: str | None
    session_epoch: int
    extension_seconds: int
    disqualified: str | None
    created: datetime
    subject: str | None = None
    team: str | None = None


@dataclass(frozen=True)
class SubmissionRecord:
    """A submission, its account and its active judging, as lists and rankings read it.

    `account_disqualified` and `disqualified` hold the reasons. `state` is the judging's: "queued", "running", "judged"
    or "held" (waiting for staff); `verdict`, scores and `language` are None unless it is judged.
    """

    id: int
    contest: str
    account_id: int
    account: str
    team_id: int | None
    team: str | None
    role: str
    account_disqualified: str | None
    problem: str
    file: str
    source_hash: str
    submitted: datetime
    late_seconds: int
    practice: bool
    disqualified: str | None
    judging_id: int
    state: str
    attempt: int
    tries: int
    gpu_model: str
    worker: str | None
    queued: datetime
    started: datetime | None
    finished: datetime | None
    verdict: str | None
    score: float | None
    score_low: float | None
    score_high: float | None
    progress: str
    language: str | None
    is_open: bool
    groups: str | None = None


@dataclass(frozen=True)
class RunRecord:
    """A run with its judging; `text` and `report` are empty when the account has made another."""

    id: int
    contest: str
    account_id: int
    problem: str
    file: str
    text: str
    sizes: str
    created: datetime
    judging_id: int
    state: str
    verdict: str | None
    progress: str
    report: str | None


@dataclass(frozen=True)
class JudgingRecord:
    """One judging with all its columns; `report` is the report's JSON without the source text."""

    id: int
    submission_id: int
    rejudge_id: int | None
    state: str
    attempt: int
    turn: int
    tries: int
    worker: str | None
    lease_until: datetime | None
    gpu_model: str
    queued: datetime
    started: datetime | None
    finished: datetime | None
    verdict: str | None
    score: float | None
    score_low: float | None
    score_high: float | None
    progress: str
    report: str | None
    active: bool
    is_open: bool
    language: str | None
    run_id: int | None
    groups: str | None = None


@dataclass(frozen=True)
class ExplanationRecord:
    """`state` is "queued", "running" or "judged"; then there is a page, or a note that says why there is none."""

    id: int
    state: str
    page: str | None
    note: str


@dataclass(frozen=True)
class RejudgeRecord:
    """`state` is "running", "applied" or "dropped"."""

    id: int
    contest: str
    reason: str
    by: str
    created: datetime
    state: str


@dataclass(frozen=True)
class AnnouncementRecord:
    id: int
    contest: str
    created: datetime
    text: str


@dataclass(frozen=True)
class ClarificationRecord:
    """A question of the account `account`; `answer` is None while it is open. `problem` is None for the contest.

    `announcement_id` is None unless the answer is told to all.
    """

    id: int
    contest: str
    account_id: int
    account: str
    problem: str | None
    asked: datetime
    question: str
    answered: datetime | None
    answered_by: str | None
    answer: str | None
    announcement_id: int | None


@dataclass(frozen=True)
class AuditRecord:
    """One logged change; `detail` holds its parameters."""

    id: int
    at: datetime
    contest: str | None
    who: str
    what: str
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class WorkerRecord:
    name: str
    gpu_model: str
    token_hash: str | None
    seen: datetime
    state: str
    note: str
