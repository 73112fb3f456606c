"""The tables of the database as typed declarative models, in SQL that SQLite and PostgreSQL share.

A change here needs a new file in `migrations/versions` and a new `HEAD`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from sqlalchemy import DateTime, Dialect, Double, ForeignKey, Index, MetaData, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

HEAD = "0005"
"""The newest revision in `migrations/versions`, known without importing Alembic, so that opening is fast."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC, on databases that store a time zone (PostgreSQL) and those that don't (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        assert isinstance(value, datetime)
        return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


class Base(DeclarativeBase):
    # Later migrations can alter named constraints on every database.
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_name)s",
        }
    )


class Source(Base):
    """A source text, stored once however often it was submitted; `hash` is the SHA-256 of its UTF-8 bytes."""

    __tablename__ = "sources"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class Submission(Base):
    """One graded submission: the columns that lists and rankings read."""

    __tablename__ = "submissions"
    __table_args__ = (Index("ix_submissions_problem_user", "problem", "user"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    problem: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    user: Mapped[str] = mapped_column(Text)
    form: Mapped[str] = mapped_column(Text)
    device: Mapped[str] = mapped_column(Text)
    file: Mapped[str] = mapped_column(Text)
    source_hash: Mapped[str] = mapped_column(ForeignKey("sources.hash"))
    submitted: Mapped[datetime] = mapped_column(UtcDateTime)
    verdict: Mapped[str] = mapped_column(Text)
    headline: Mapped[str] = mapped_column(Text)
    fault: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str | None] = mapped_column(Text)
    line: Mapped[int | None]
    score: Mapped[float | None] = mapped_column(Double)
    time: Mapped[float | None] = mapped_column(Double)
    time_low: Mapped[float | None] = mapped_column(Double)
    time_high: Mapped[float | None] = mapped_column(Double)
    seconds: Mapped[float] = mapped_column(Double)
    score_low: Mapped[float | None] = mapped_column(Double)
    score_high: Mapped[float | None] = mapped_column(Double)
    language: Mapped[str] = mapped_column(Text, server_default="cuda")
    mend: Mapped[str | None] = mapped_column(Text)
    mend_tokens: Mapped[int | None]
    model_gpu: Mapped[str | None] = mapped_column(Text)
    model_revision: Mapped[str | None] = mapped_column(Text)
    model_note: Mapped[str | None] = mapped_column(Text)
    model_score: Mapped[float | None] = mapped_column(Double)
    model_time: Mapped[float | None] = mapped_column(Double)
    model_time_low: Mapped[float | None] = mapped_column(Double)
    model_time_high: Mapped[float | None] = mapped_column(Double)


class StoredReport(Base):
    """The whole report as JSON without the source text, which is in `sources`."""

    __tablename__ = "reports"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), primary_key=True)
    json: Mapped[str] = mapped_column(Text)
