"""Opens SQLite so that neither concurrent writers nor a killed process nor a power cut lose anything recorded.

It knows no tables.
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
"""Seconds that a writer waits for others. A write takes milliseconds, so a whole class can queue."""

READ = {"kgrade_begin": "BEGIN"}
WRITE = {"kgrade_begin": "BEGIN IMMEDIATE"}
"""Execution options of a connection. A writer takes the lock at once: SQLite refuses, without waiting, a transaction
that reads first and asks for the lock after another process has written."""


def writable(path: Path) -> bool:
    """Whether the database at `path` can be written, or created if there is none yet."""
    if path.exists():
        # SQLite writes its log beside the file, so the folder has to be writable too.
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def open_engine(path: Path, *, read_only: bool, pooled: bool = False, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine whose connections are closed after each use, so that no file stays open between calls.

    Servers use `pooled` connections, so that the log is not checkpointed and removed whenever the last one closes.
    """
    address = _address(path, read_only)

    def connect() -> sqlite3.Connection:
        # isolation_level None: Python leaves transactions alone, and `begin` below opens each of them, also around
        # CREATE TABLE, which Python would otherwise commit statement by statement.
        # A pooled connection is used by several threads, one at a time.
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
    # SQLite can't create its lock file in a read-only folder. Without a log there is nothing to lock anyway.
    log = path.with_name(path.name + "-wal")
    return f"{address}?mode=ro" if log.exists() else f"{address}?mode=ro&immutable=1"


def _use_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Switches to a write-ahead log: readers never wait, and commits are atomic.

    synchronous FULL flushes the log at each commit. NORMAL could lose the last commits in a power cut, but a commit
    here is a submission that was reported as recorded; one flush costs a few milliseconds.
    """
    connection.execute("PRAGMA synchronous = FULL")
    if _journal(connection, "PRAGMA journal_mode") == "wal":
        return
    # The change needs exclusive access and does not wait for others, whatever the timeout.
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
