"""The tables of contests as typed declarative models, in SQL that SQLite and PostgreSQL share.

A change here needs a new file in `migrations/versions` and a new `HEAD`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Double, ForeignKey, Index, MetaData, Text, UniqueConstraint, false, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from grader.store.schema import UtcDateTime

HEAD = "0009"
"""The newest revision in `migrations/versions`, known without importing Alembic, so that opening is fast."""


class Base(DeclarativeBase):
    # Later migrations can alter named constraints on every database.
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        }
    )


class Contest(Base):
    """A contest; `settings` is its contest.toml as JSON."""

    __tablename__ = "contest"

    slug: Mapped[str] = mapped_column(Text, primary_key=True)
    settings: Mapped[str] = mapped_column(Text)
    updated: Mapped[datetime] = mapped_column(UtcDateTime)


class Team(Base):
    __tablename__ = "team"
    __table_args__ = (UniqueConstraint("contest", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    name: Mapped[str] = mapped_column(Text)


class Account(Base):
    """A student or a member of staff in one contest. Only the SHA-256 of tokens and sign-in links is stored."""

    __tablename__ = "account"
    __table_args__ = (UniqueConstraint("contest", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    name: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))
    token_hash: Mapped[str | None] = mapped_column(Text, unique=True)
    link_hash: Mapped[str | None] = mapped_column(Text, unique=True)
    session_epoch: Mapped[int]
    extension_seconds: Mapped[int]
    disqualified: Mapped[str | None] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(UtcDateTime)
    subject: Mapped[str | None] = mapped_column(Text)


class Session(Base):
    """A signed-in browser; only the SHA-256 of its cookie is stored. `epoch` is the account's at sign-in."""

    __tablename__ = "session"
    __table_args__ = (Index("ix_session_created", "created"),)

    token_hash: Mapped[str] = mapped_column(Text, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    epoch: Mapped[int]
    created: Mapped[datetime] = mapped_column(UtcDateTime)


class Source(Base):
    """A source text, stored once however often it was submitted; `hash` is the SHA-256 of its UTF-8 bytes.

    `colours` is a worker's syntax colouring for pages; None if the text is shown plain.
    """

    __tablename__ = "source"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    colours: Mapped[str | None] = mapped_column(Text)


class Submission(Base):
    """A submission. `request_key` comes from the sender: the same request sent twice is one submission."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("account_id", "request_key"),
        Index("ix_submission_contest_problem", "contest", "problem"),
        Index("ix_submission_account_submitted", "account_id", "submitted"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    problem: Mapped[str] = mapped_column(Text)
    file: Mapped[str] = mapped_column(Text)
    source_hash: Mapped[str] = mapped_column(ForeignKey("source.hash"))
    submitted: Mapped[datetime] = mapped_column(UtcDateTime)
    late_seconds: Mapped[int]
    practice: Mapped[bool]
    request_key: Mapped[str | None] = mapped_column(Text)
    disqualified: Mapped[str | None] = mapped_column(Text)


class Rejudge(Base):
    """A set of submissions that is judged again; the old verdicts stay valid until it is applied."""

    __tablename__ = "rejudge"

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    reason: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(UtcDateTime)
    state: Mapped[str] = mapped_column(Text)


class Run(Base):
    """A text that is tried and not recorded; `sizes` is JSON, empty for sizes that are drawn."""

    __tablename__ = "run"
    __table_args__ = (Index("ix_run_account_id", "account_id"), Index("ix_run_created", "created"))

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    problem: Mapped[str] = mapped_column(Text)
    file: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    sizes: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(UtcDateTime)


class Draft(Base):
    """What an account has typed and not handed in, as its browser sent it last."""

    __tablename__ = "draft"

    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    problem: Mapped[str] = mapped_column(Text, primary_key=True)
    language: Mapped[str] = mapped_column(Text, primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    saved: Mapped[datetime] = mapped_column(UtcDateTime)


class Judging(Base):
    """One judging of a submission or a run, from the queue to its result.

    `attempt` is the fencing token: each claim increments it, and only its holder may write. `turn` gives the order of
    claims. `gpu_model` names the queue. `active` marks the one judging that counts on the board. If `is_open`, nothing
    in the report depends on a hidden case. `language` is that in which the file was read, null without a report.
    `groups` is a JSON list of the groups of cases that were passed, null where none were tried.
    """

    __tablename__ = "judging"
    __table_args__ = (
        Index("ix_judging_queue", "state", "gpu_model", "turn", "id"),
        Index(
            "ix_judging_active",
            "submission_id",
            unique=True,
            sqlite_where=text("active = 1"),
            postgresql_where=text("active"),
        ),
        Index("ix_judging_submission_id", "submission_id"),
        Index("ix_judging_rejudge_id", "rejudge_id"),
        Index("ix_judging_run_id", "run_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    # Null for a run, whose judging is never active.
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), nullable=True)
    rejudge_id: Mapped[int | None] = mapped_column(ForeignKey("rejudge.id"))
    state: Mapped[str] = mapped_column(Text)
    attempt: Mapped[int]
    turn: Mapped[int]
    tries: Mapped[int]
    worker: Mapped[str | None] = mapped_column(Text)
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    gpu_model: Mapped[str] = mapped_column(Text)
    queued: Mapped[datetime] = mapped_column(UtcDateTime)
    started: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished: Mapped[datetime | None] = mapped_column(UtcDateTime)
    verdict: Mapped[str | None] = mapped_column(Text)
    score: Mapped[float | None] = mapped_column(Double)
    score_low: Mapped[float | None] = mapped_column(Double)
    score_high: Mapped[float | None] = mapped_column(Double)
    progress: Mapped[str] = mapped_column(Text)
    report: Mapped[str | None] = mapped_column(Text)
    active: Mapped[bool]
    is_open: Mapped[bool] = mapped_column(default=False, server_default=false())
    language: Mapped[str | None] = mapped_column(Text)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    groups: Mapped[str | None] = mapped_column(Text)


class Explanation(Base):
    """The page that explains a source as a solution of a problem; `page` is None until a worker has written it.

    `attempt` is the fencing token, as of a judging. `note` says why there is no page.
    """

    __tablename__ = "explanation"
    __table_args__ = (UniqueConstraint("contest", "problem", "source_hash"), Index("ix_explanation_state", "state"))

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    problem: Mapped[str] = mapped_column(Text)
    source_hash: Mapped[str] = mapped_column(ForeignKey("source.hash"))
    state: Mapped[str] = mapped_column(Text)
    attempt: Mapped[int]
    worker: Mapped[str | None] = mapped_column(Text)
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    page: Mapped[str | None] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)


class Announcement(Base):
    __tablename__ = "announcement"

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    created: Mapped[datetime] = mapped_column(UtcDateTime)
    text: Mapped[str] = mapped_column(Text)


class Clarification(Base):
    """A student's question about a problem, or about the contest where `problem` is null.

    `announcement_id` is the announcement that tells the answer to all; null while only the asker sees it.
    """

    __tablename__ = "clarification"
    __table_args__ = (
        Index("ix_clarification_contest", "contest"),
        Index("ix_clarification_account_asked", "account_id", "asked"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    problem: Mapped[str | None] = mapped_column(Text)
    asked: Mapped[datetime] = mapped_column(UtcDateTime)
    question: Mapped[str] = mapped_column(Text)
    answered: Mapped[datetime | None] = mapped_column(UtcDateTime)
    answered_by: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[str | None] = mapped_column(Text)
    announcement_id: Mapped[int | None] = mapped_column(ForeignKey("announcement.id"))


class Entry(Base):
    """Somebody whom an identity provider knows as `value`, an e-mail address or a subject, and who asks to enter.

    The row goes when staff let them in. `refused` is when staff did not.
    """

    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("contest", "value"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[str] = mapped_column(ForeignKey("contest.slug"))
    kind: Mapped[str] = mapped_column(Text)
    value: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    asked: Mapped[datetime] = mapped_column(UtcDateTime)
    refused: Mapped[datetime | None] = mapped_column(UtcDateTime)
    refused_by: Mapped[str | None] = mapped_column(Text)


class Audit(Base):
    """The log of who changed what and when; rows are only added. `detail` is JSON."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_contest", "contest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    contest: Mapped[str | None] = mapped_column(Text)
    who: Mapped[str] = mapped_column(Text)
    what: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text)


class Worker(Base):
    """A machine that judges. `state` is "idle", "judging", "out" (took itself out) or "gone"."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    gpu_model: Mapped[str] = mapped_column(Text)
    token_hash: Mapped[str | None] = mapped_column(Text, unique=True)
    seen: Mapped[datetime] = mapped_column(UtcDateTime)
    state: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
