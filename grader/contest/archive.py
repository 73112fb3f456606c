"""A whole contest as one zip file: pages to read, and `data.json`, from which it can be restored into a database.

Tokens and sign-in links are left out, even their hashes: accounts need new ones after a restore. The archive holds
e-mail addresses, everybody's code and the hidden seeds, so the file is readable only by its owner.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from reprlib import repr as short
from typing import Any

from sqlalchemy import Column, Connection, Table, insert, select, text
from sqlalchemy.exc import DataError, IntegrityError

import grader
from grader.contest.archived_values import typed
from grader.contest.database import Database
from grader.contest.groups import passed_of
from grader.contest.records import JUDGED
from grader.contest.schema import (
    Account,
    Announcement,
    Audit,
    Base,
    Clarification,
    Contest,
    Judging,
    Rejudge,
    Source,
    Submission,
    Team,
)
from grader.contest.settings import check_slug, settings_from_json
from grader.core.errors import UsageError, WorkspaceError
from grader.machine.own_install import upgrade_command

FORMAT = 1
DATA = "data.json"
MOST_BYTES = 2_000_000_000

SECRET = {"account": {"token_hash": None, "link_hash": None, "session_epoch": 0}}
"""Values that replace credentials in the archive and in a restored database."""
LINKS = {
    "account": {"team_id": "team"},
    "submission": {"account_id": "account"},
    "judging": {"submission_id": "submission", "rejudge_id": "rejudge"},
    "clarification": {"account_id": "account", "announcement_id": "announcement"},
}
"""Columns that refer to rows of other tables, whose numbers change when they are restored."""
OLDER = {"judging": {"language": "cuda"}}
"""What archives that lack a column mean by that, where it is not the column's default."""
TABLES: tuple[type[Base], ...] = (
    Source,
    Team,
    Account,
    Submission,
    Rejudge,
    Judging,
    Announcement,
    Clarification,
    Audit,
)
"""The tables in the order in which they are restored, each after those that it refers to."""
NEWER = ("clarification",)
"""Tables that archives of older versions lack."""


@dataclass(frozen=True)
class Counts:
    """Number of rows written or restored."""

    accounts: int
    submissions: int
    judgings: int


def write_archive(database: Database, slug: str, path: Path, pages: Iterable[tuple[str, str]] = ()) -> Counts:
    """Writes the contest to the zip file `path`, atomically. `pages` are (name, text). Raises WorkspaceError."""
    data = contest_data(database, slug)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with (
                os.fdopen(descriptor, "wb") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle,
            ):
                bundle.writestr(DATA, json.dumps(data, allow_nan=False))
                for page, content in pages:
                    bundle.writestr(page, content)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(
            f"the archive {path} can't be written: {error.strerror or error}; what was there before is kept",
            "free some space, or name another file: --to FILE.zip",
        ) from error
    return _counts(data["tables"])


def contest_data(database: Database, slug: str) -> dict[str, Any]:
    """All rows of the contest in the database, as of one moment, ready for JSON."""
    settings = database.contest(slug).settings
    submissions = select(Submission.id).where(Submission.contest == slug)
    queries = {
        Source: select(*_columns(Source))
        .where(Source.hash.in_(select(Submission.source_hash).where(Submission.contest == slug)))
        .order_by(Source.hash),
        Judging: select(*_columns(Judging)).where(Judging.submission_id.in_(submissions)).order_by(Judging.id),
    }
    tables: dict[str, list[dict[str, Any]]] = {}
    with database.reading() as connection:
        if connection.dialect.name == "postgresql":
            # Otherwise a submission between two queries would be in one table and not in the other.
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        for model in TABLES:
            columns = _columns(model)
            query = queries.get(model)
            if query is None:
                query = select(*columns).where(model.__table__.c.contest == slug).order_by(model.__table__.c.id)
            hidden = SECRET.get(model.__tablename__, {})
            tables[model.__tablename__] = [
                {name: _plain(value) for name, value in row._mapping.items()} | hidden
                for row in connection.execute(query)
            ]
    for row in tables[Judging.__tablename__]:
        _check_groups(row, slug)
    return {
        "kgrade_archive": FORMAT,
        "written_by": f"kgrade {grader.__version__}",
        "contest": slug,
        "settings": settings,
        "tables": tables,
    }


def _check_groups(judging: dict[str, Any], slug: str) -> None:
    """Raises UsageError for groups that an older server took from a worker unread: no archive with them comes back.

    Of a judging that no longer counts they are left out.
    """
    try:
        passed_of(judging["groups"])
    except ValueError as error:
        number, groups = judging["submission_id"], judging["groups"]
        judging["groups"] = None
        if judging["active"]:
            raise UsageError(
                f"submission {number} of '{slug}' passed the groups {short(groups)}, where a JSON list of names is "
                "expected; no archive was written",
                f"judge it again, and apply that: kgrade contest rejudge {slug} --submission {number} --reason TEXT",
            ) from error


def read_archive(database: Database, path: Path, *, who: str, slug: str | None = None) -> tuple[str, Counts]:
    """Restores the contest of an archive into the database, all or nothing, and returns its name and row counts.

    `slug` gives it another name. Submissions not judged yet are queued again. Raises UsageError if the file is no
    archive or is damaged, or if a contest of that name exists already.
    """
    data = _load(path)
    if slug is not None:
        check_slug(slug)
    slug = slug or data["contest"]
    try:
        settings_from_json(data["settings"], slug)
    except UsageError as error:
        raise _damaged(path, error.message) from error
    if any(contest.slug == slug for contest in database.contests()):
        raise UsageError(f"there is a contest '{slug}' already", "give the archive's another name: --as NAME")
    tables = data["tables"]
    with database.writing() as connection:
        connection.execute(insert(Contest).values(slug=slug, settings=data["settings"], updated=database.now()))
        try:
            _insert_tables(database, connection, tables, slug, path)
        except (IntegrityError, DataError) as error:
            raise _damaged(path, f"its rows contradict each other ({error.orig})") from error
        database.log(connection, who, "archive read back", slug, {"file": path.name, "of": data["contest"]})
    return slug, _counts(tables)


def _insert_tables(
    database: Database, connection: Connection, tables: dict[str, list[object]], slug: str, path: Path
) -> None:
    numbers: dict[str, dict[int, int]] = {}
    for model in TABLES:
        name = model.__tablename__
        rows = [_checked(model, row, f"{name}[{number}]", path) for number, row in enumerate(tables[name])]
        if model is Source:
            _insert_sources(connection, rows, path)
        else:
            numbers[name] = _insert(database, connection, model, rows, slug, numbers, path)


def _insert(
    database: Database,
    connection: Connection,
    model: type[Base],
    rows: Sequence[dict[str, Any]],
    slug: str,
    numbers: dict[str, dict[int, int]],
    path: Path,
) -> dict[int, int]:
    """Inserts the rows under new numbers and returns old → new."""
    own: dict[int, int] = {}
    active: set[int] = set()
    for row in rows:
        old = row.pop("id")
        if "contest" in row:
            row["contest"] = slug
        for column, table in LINKS.get(model.__tablename__, {}).items():
            if row[column] is not None:
                if row[column] not in numbers[table]:
                    raise _damaged(path, f"{model.__tablename__} {old} names {table} {row[column]}, which is not in it")
                row[column] = numbers[table][row[column]]
        if model is Judging:
            if row["active"]:
                active.add(row["submission_id"])
            if row["state"] != JUDGED:
                # A waiting judging needs more than its row: the queue has to know it.
                database.queue.enqueue(connection, row["submission_id"], row["gpu_model"], row["rejudge_id"])
                continue
        if old in own:
            raise _damaged(path, f"there are two rows of {model.__tablename__} with the id {old}")
        own[old] = connection.execute(insert(model).values(**row).returning(model.__table__.c.id)).scalar_one()
    if model is Judging and active != set(numbers["submission"].values()):
        raise _damaged(path, "not every submission has a judging that counts")
    return own


def _insert_sources(connection: Connection, rows: Sequence[dict[str, Any]], path: Path) -> None:
    there = set(connection.execute(select(Source.hash)).scalars())
    for row in rows:
        if sha256(row["text"].encode()).hexdigest() != row["hash"]:
            raise _damaged(path, f"the source {row['hash'][:12]} is not what was archived")
        if row["hash"] not in there:
            connection.execute(insert(Source).values(**row))


def _load(path: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as bundle:
            if bundle.getinfo(DATA).file_size > MOST_BYTES:
                raise _damaged(path, f"its {DATA} has more than {MOST_BYTES:,} bytes")
            with bundle.open(DATA) as file:
                # The size in the zip index may be forged.
                content = file.read(MOST_BYTES + 1)
        data = json.loads(content)
    except FileNotFoundError:
        raise UsageError(f"there is no {path}", "name a file that `kgrade contest archive` wrote") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}", "make it a readable file") from error
    except (zipfile.BadZipFile, KeyError, ValueError, RecursionError, NotImplementedError, RuntimeError) as error:
        raise _damaged(path, f"there is no {DATA} in it that can be read") from error
    if not isinstance(data, dict) or not isinstance(data.get("kgrade_archive"), int):
        raise _damaged(path, "it is none")
    if data["kgrade_archive"] > FORMAT:
        raise UsageError(f"{path} is of a newer kgrade ({data.get('written_by')})", f"update: {upgrade_command()}")
    names = [model.__tablename__ for model in TABLES]
    tables = data.get("tables")
    if isinstance(tables, dict):
        tables = data["tables"] = {**{name: [] for name in NEWER}, **tables}
    whole = (
        isinstance(data.get("contest"), str)
        and isinstance(data.get("settings"), str)
        and isinstance(tables, dict)
        and all(isinstance(tables.get(name), list) for name in names)
    )
    if not whole:
        raise _damaged(path, "parts of it are missing")
    return data


def _checked(model: type[Base], row: object, place: str, path: Path) -> dict[str, Any]:
    """Returns the row with exactly the table's columns, each of a value that it may have. Raises UsageError."""
    if not isinstance(row, dict):
        raise _damaged(path, f"{place} is {short(row)}, where a row is expected")
    values = {}
    for column in _columns(model):
        # Archives of older versions lack newer columns.
        default = column.default.arg if column.default is not None else None  # type: ignore[attr-defined]
        value = row.get(column.name, OLDER.get(model.__tablename__, {}).get(column.name, default))
        try:
            values[column.name] = typed(column, value)
        except ValueError as error:
            words = f"{place}.{column.name} is {short(value)}, where {error} is expected"
            raise _damaged(path, words) from error
    return values | SECRET.get(model.__tablename__, {})


def _columns(model: type[Base]) -> list[Column[Any]]:
    table = model.__table__
    assert isinstance(table, Table)
    return list(table.columns)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _counts(tables: dict[str, list[dict[str, Any]]]) -> Counts:
    return Counts(len(tables["account"]), len(tables["submission"]), len(tables["judging"]))


def _damaged(path: Path, words: str) -> UsageError:
    return UsageError(
        f"{path} is no archive that can be read back: {words}; nothing was changed",
        f"name a file that `kgrade contest archive` wrote, or correct {DATA} in it",
    )
