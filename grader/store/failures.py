"""Explains database errors: which file is affected, and what to do next.

It only translates errors.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from sqlalchemy.exc import DBAPIError

from grader.core.errors import DiskFull, KgradeError, StoreError, WorkspaceError

KEPT = "what was recorded before is kept"


@dataclass(frozen=True)
class _Failure:
    """SQLite's message for a failure, and ours. Python exposes SQLite's error codes only from 3.11 on."""

    words: tuple[str, ...]
    error: type[KgradeError]
    message: str
    hint: str


_UNWRITABLE = _Failure(
    ("readonly database", "unable to open database file"),
    WorkspaceError,
    "{path} can't be written",
    "make it writable (chmod u+w {folder}), or make a workspace of your own: kgrade new DIR",
)

_FULL = _Failure(
    ("database or disk is full",),
    DiskFull,
    "no space left to record anything in {path} ({free:,} bytes are free); " + KEPT,
    "free some space (df -h {folder}), then run the same command again",
)
_LEAST_FREE = 1 << 16
"""Bytes. With less free space SQLite can't extend its log and may fail with the messages below, which don't name
space as the cause."""
_WITHOUT_SPACE = ("disk I/O error", "unable to open database file")

_FAILURES = (
    _FULL,
    _Failure(
        ("disk I/O error",),
        StoreError,
        "the disk refused to write {path}; " + KEPT,
        "see whether the disk is full or damaged (df -h {folder}), then run the same command again",
    ),
    _UNWRITABLE,
    _Failure(
        ("not a database", "malformed", "unsupported file format"),
        StoreError,
        "{path} is damaged or is not a database of kgrade",
        "put a backup in its place, or move it away to start a new one: mv {path} {path}.damaged",
    ),
    _Failure(
        ("database is locked", "database table is locked"),
        StoreError,
        "{path} has been locked by another process for too long",
        "see who holds it (fuser {path}), then run the same command again",
    ),
)


@contextmanager
def naming_the_database(path: Path) -> Iterator[None]:
    """Turns a database error in the block into a StoreError or WorkspaceError that names `path`."""
    try:
        yield
    except DBAPIError as error:
        raise explain(path, str(error.orig)) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _error(_FULL, path) from error
        raise WorkspaceError(
            f"{path} can't be opened: {error.strerror or error}",
            f"look at {path.parent}, or make a workspace of your own: kgrade new DIR",
        ) from error


def explain(path: Path, words: str) -> KgradeError:
    """The error for SQLite's message `words` about the database at `path`."""
    for failure in _FAILURES:
        if any(part in words for part in failure.words):
            break
    else:
        return StoreError(f"{path} can't be used: {words}", "move the file away to start a new one")
    if words in _WITHOUT_SPACE and _free(path) < _LEAST_FREE:
        failure = _FULL
    return _error(failure, path)


def unwritable(path: Path) -> KgradeError:
    """The error for a database that is known to be read-only before any attempt to write."""
    return _error(_UNWRITABLE, path)


def _error(failure: _Failure, path: Path) -> KgradeError:
    # Hints are lines to paste into a shell.
    shell = {"path": quote(str(path)), "folder": quote(str(path.parent))}
    message = failure.message.format(path=path, free=_free(path) if failure is _FULL else 0)
    return failure.error(message, failure.hint.format(**shell))


def _free(path: Path) -> int:
    """Free bytes in the folder of `path`; 0 if unknown."""
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return 0
