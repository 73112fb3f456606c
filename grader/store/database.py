"""The store: records graded submissions in `submissions/kgrade.db` and retrieves them.

A submission is written in one transaction after its grading, source and report together. A process killed before
leaves nothing behind, and SQLite rolls back what one leaves that is killed while writing, so there are no half records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, insert, literal, select

from grader.core.errors import StoreError, UsageError
from grader.core.report import Interval, Report, from_json, to_json
from grader.core.verdict import FaultClass, Form, LanguageName, Verdict, WrongKind
from grader.machine.own_install import upgrade_command
from grader.store.connect import BUSY_SECONDS, READ, WRITE, open_engine, writable
from grader.store.entry import Entry, Summary, summarize
from grader.store.failures import naming_the_database, unwritable
from grader.store.migrate import bring_up_to_date
from grader.store.schema import Source, StoredReport, Submission

_COLUMNS = tuple(Submission.__table__.columns)
_INTERVALS = ("time", "model_time")
"""Fields of a summary that take three columns each."""


class Store:
    """The submissions of one workspace. Several processes may use it at once.

    Nothing is created before the first write, and a read-only workspace can be read. A write waits for others for at
    most `busy_seconds`. Every method may raise StoreError or WorkspaceError, with the path and the next step.
    """

    def __init__(self, path: Path, *, read_only: bool = False, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self._read_only = read_only or not writable(path)
        self._busy_seconds = busy_seconds
        self._engine: Engine | None = None
        if path.exists():
            self._engine = self._open()

    def check_writable(self) -> None:
        """Raises if `add` is bound to fail, so that nobody waits for a grading that can't be recorded."""
        with self._writing():
            pass

    def add(self, report: Report) -> int:
        """Records a submission and returns its number."""
        digest = sha256(_storable(report.source).encode()).hexdigest()
        row = _row(replace(summarize(0, report), source_hash=digest))
        with self._writing() as connection:
            known = select(literal(digest), literal(_storable(report.source))).where(
                ~select(Source).where(Source.hash == digest).exists()
            )
            connection.execute(insert(Source).from_select(["hash", "text"], known))
            number = connection.execute(insert(Submission).values(**row).returning(Submission.id)).scalar_one()
            text = to_json(replace(report, source=""))
            connection.execute(insert(StoredReport).values(submission_id=number, json=text))
        return number

    def get(self, number: int) -> Entry:
        """The submission with that number. Raises UsageError if there is none."""
        for entry in self._entries(_whole().where(Submission.id == number)):
            return entry
        raise UsageError(f"there is no submission {number} in {self.path}.", "type: kgrade history")

    def entries(self, problem: str | None = None, user: str | None = None) -> list[Entry]:
        """Complete submissions, oldest first. Reads every report; for lists, use `summaries`."""
        return self._entries(_filtered(_whole(), problem, user))

    def summaries(self, problem: str | None = None, user: str | None = None) -> list[Summary]:
        """Summaries of the submissions, oldest first."""
        return [_summary(row) for row in self._rows(_filtered(select(*_COLUMNS), problem, user))]

    def solved(self, user: str) -> set[str]:
        """The problems that the user has an accepted submission of, and the mended exercises as PROBLEM/NAME."""
        accepted = {row.problem for row in self.summaries(user=user) if row.verdict is Verdict.ACCEPTED}
        return accepted | self.mends(user).keys()

    def mends(self, user: str) -> dict[str, int]:
        """The exercises that the user has mended, as PROBLEM/NAME, with the fewest tokens changed."""
        least: dict[str, int] = {}
        for row in self.summaries(user=user):
            if row.mend is not None and row.mend_tokens is not None:
                key = f"{row.problem}/{row.mend}"
                least[key] = min(least.get(key, row.mend_tokens), row.mend_tokens)
        return least

    def _entries(self, query: Select[Any]) -> list[Entry]:
        return [self._entry(row) for row in self._rows(query)]

    def _entry(self, row: Row[Any]) -> Entry:
        summary = _summary(row)
        source = str(row.text)
        try:
            report = from_json(str(row.json))
        except ValueError as error:
            raise StoreError(
                f"the report of submission {summary.id} in {self.path} can't be read",
                f"it may come from a newer kgrade: {upgrade_command()}",
            ) from error
        return Entry(**vars(summary), report=replace(report, source=source), source=source)

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        if self._engine is None and self.path.exists():
            # Another process created the database after this store was opened.
            self._engine = self._open()
        if self._engine is None:
            return []
        query = query.order_by(Submission.submitted, Submission.id)
        with naming_the_database(self.path), self._engine.connect().execution_options(**READ) as connection:
            return connection.execute(query).all()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that holds the write lock; creates the database if there is none yet."""
        with naming_the_database(self.path):
            if self._read_only:
                raise unwritable(self.path)
            if self._engine is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._engine = self._open()
            with self._engine.connect().execution_options(**WRITE) as connection, connection.begin():
                yield connection

    def _open(self) -> Engine:
        with naming_the_database(self.path):
            engine = open_engine(self.path, read_only=self._read_only, busy_seconds=self._busy_seconds)
            bring_up_to_date(engine, self.path, read_only=self._read_only)
            return engine


def _whole() -> Select[Any]:
    return (
        select(*_COLUMNS, Source.text.label("text"), StoredReport.json.label("json"))
        .join(Source, Source.hash == Submission.source_hash)
        .join(StoredReport, StoredReport.submission_id == Submission.id)
    )


def _filtered(query: Select[Any], problem: str | None, user: str | None) -> Select[Any]:
    if problem is not None:
        query = query.where(Submission.problem == problem)
    if user is not None:
        query = query.where(Submission.user == user)
    return query


def _row(summary: Summary) -> dict[str, Any]:
    """The columns of a submission that has no number yet."""
    values = dict(vars(summary))
    del values["id"]
    for name in _INTERVALS:
        found = values[name]
        bounds = (None, None, None) if found is None else (found.value, found.low, found.high)
        values |= dict(zip((name, f"{name}_low", f"{name}_high"), bounds, strict=True))
    return {name: _storable(value) if isinstance(value, str) else value for name, value in values.items()}


def _summary(row: Row[Any]) -> Summary:
    values = {column.name: row._mapping[column.name] for column in _COLUMNS}
    for name in _INTERVALS:
        value, low, high = (values.pop(column) for column in (name, f"{name}_low", f"{name}_high"))
        values[name] = None if value is None else Interval(value, low, high)
    values["form"] = Form(values["form"])
    values["language"] = LanguageName(values["language"])
    values["verdict"] = Verdict(values["verdict"])
    values["fault"] = FaultClass(values["fault"]) if values["fault"] else None
    values["kind"] = WrongKind(values["kind"]) if values["kind"] else None
    return Summary(**values)


def _storable(text: str) -> str:
    """Replaces what databases can't store: lone surrogates, from file names that are not UTF-8, and NUL, which
    PostgreSQL refuses."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")
