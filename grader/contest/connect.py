"""Opens the contests' database by its URL, SQLite or PostgreSQL, and explains its errors.

It knows no tables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from grader.core.errors import DiskFull, KgradeError, StoreError, UsageError
from grader.machine.own_install import extra_command
from grader.store.connect import open_engine, writable
from grader.store.failures import naming_the_database, unwritable

EXPECTED = "give a path, sqlite:///PATH, or postgresql+psycopg://USER@HOST/NAME"


def read_url(text: str) -> URL:
    """Parses the URL in `text`; a plain path is a SQLite file. Raises UsageError for any other kind of database."""
    try:
        # A path may contain characters that are special in a URL.
        url = make_url(text) if "://" in text else URL.create("sqlite", database=text)
    except ArgumentError as error:
        raise UsageError(f"'{text}' is no address of a database", EXPECTED) from error
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise UsageError(f"'{url.drivername}' is a kind of database that kgrade does not use", EXPECTED)
    if not url.database or (url.drivername == "sqlite" and url.database == ":memory:"):
        raise UsageError(f"'{text}' names no database that lasts", EXPECTED)
    return url


class Address:
    """The address of a database: its URL, its name in messages (without a password), and how to open it."""

    def __init__(self, text: str) -> None:
        self.url = read_url(text)
        self.path = Path(self.url.database or "").absolute() if self.url.drivername == "sqlite" else None
        self.name = str(self.path) if self.path else self.url.render_as_string(hide_password=True)

    def open(self) -> Engine:
        """Opens an engine with a connection pool. Raises a KgradeError if that fails."""
        if self.path is not None:
            if not writable(self.path):
                raise unwritable(self.path)
            with naming_the_database(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # It holds everybody's code and the hidden seeds, so other users of this machine may not read it.
                # SQLite gives its log and other files the same mode.
                with suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return open_engine(self.path, read_only=False, pooled=True)
        # Replaces connections that were cut while they were in the pool.
        return create_engine(self.url, pool_pre_ping=True, pool_size=8, max_overflow=32)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turns database errors in the block into StoreError or WorkspaceError that name the database."""
        if self.path is not None:
            with naming_the_database(self.path):
                yield
            return
        try:
            yield
        except DBAPIError as error:
            raise self._explain(error) from error
        except ModuleNotFoundError as error:
            raise StoreError(f"{self.name} needs psycopg", f"type: {extra_command('server')}") from error

    def _explain(self, error: DBAPIError) -> KgradeError:
        words = str(error.orig).strip().splitlines()
        first = words[0] if words else type(error.orig).__name__
        if "No space left" in first or "could not extend file" in first:
            return DiskFull(
                f"no space left to record anything in {self.name}; what was recorded before is kept",
                "free some space on the database's machine (df -h), then try again",
            )
        if isinstance(error, OperationalError | InterfaceError):
            return StoreError(
                f"{self.name} can't be reached: {first}",
                "see that PostgreSQL runs and lets you in: psql -c 'select 1'; what was recorded before is kept",
            )
        return StoreError(f"{self.name} can't be used: {first}", "look at the database's log")
