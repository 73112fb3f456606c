"""Opens SQLite so that two writers, a killed process or a power cut lose nothing that was recorded.

It sets how the database is opened; it knows no table.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

BUSY_SECONDS = 30.0
"""How long a writer waits for another one. A write takes milliseconds, so a whole class can queue."""

READ = {"kgrade_begin": "BEGIN"}
WRITE = {"kgrade_begin": "BEGIN IMMEDIATE"}
"""Execution options of a connection. A writer takes the lock at once: a transaction that reads first and asks
for the lock later is refused by SQLite without waiting when another process wrote in between."""


def writable(path: Path) -> bool:
    """Whether the database at `path` can be written, or made where there is none yet."""
    if path.exists():
        # SQLite writes its log beside the file, so the folder counts as well.
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def open_engine(path: Path, *, read_only: bool, pooled: bool = False, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine whose connections last as long as one use, so that no file stays open between two calls.

    A server asks for `pooled` ones: the log is not written back and removed whenever the last one closes.
    """
    address = _address(path, read_only)

    def connect() -> sqlite3.Connection:
        # isolation_level None: Python leaves transactions alone, and `begin` below opens each of them, also
        # around CREATE TABLE, which Python would otherwise commit statement by statement.
        # A pooled connection passes from thread to thread, one at a time.
        connection = sqlite3.connect(
            address, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=not pooled
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            if not read_only:
                _use_log(connection, busy_seconds)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool if pooled else NullPool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("kgrade_begin", "BEGIN"))

    return engine


def _address(path: Path, read_only: bool) -> str:
    address = f"file:{quote(str(path.absolute()))}"
    if not read_only:
        return f"{address}?mode=rwc"
    # SQLite can't make its lock file in a read-only folder. Without a log there is nothing to lock either.
    log = path.with_name(path.name + "-wal")
    return f"{address}?mode=ro" if log.exists() else f"{address}?mode=ro&immutable=1"


def _use_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Write-ahead log: readers never wait, and a commit is whole or absent.

    synchronous FULL flushes the log at each commit. NORMAL could lose the last commits at a power cut, and
    here a commit is a submission that somebody was told is recorded; one flush costs a few milliseconds.
    """
    connection.execute("PRAGMA synchronous = FULL")
    if _journal(connection, "PRAGMA journal_mode") == "wal":
        return
    # The change needs the file for itself and does not wait for others, whatever the timeout says.
    deadline = time.monotonic() + busy_seconds
    while not _change_to_log(connection, last_try=time.monotonic() > deadline):
        time.sleep(0.01)


def _change_to_log(connection: sqlite3.Connection, *, last_try: bool) -> bool:
    try:
        _journal(connection, "PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if last_try or "locked" not in str(error):
            raise
        return False
    return True


def _journal(connection: sqlite3.Connection, statement: str) -> str:
    (mode,) = connection.execute(statement).fetchone()
    return str(mode)
