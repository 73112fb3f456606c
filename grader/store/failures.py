"""Says in words what went wrong with the database: which file, and what to do next.

It translates errors; it repairs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from sqlalchemy.exc import DBAPIError

from grader.errors import KgradeError, StoreError, WorkspaceError

KEPT = "what was recorded before is kept"


@dataclass(frozen=True)
class _Failure:
    """SQLite's words for a failure, and ours. Its error codes reach Python only from 3.11 on."""

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

_FAILURES = (
    _Failure(
        ("database or disk is full",),
        StoreError,
        "no space left to record the submission in {path}; " + KEPT,
        "free some space (df -h {folder}), then run the same command again",
    ),
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
def explained(path: Path) -> Iterator[None]:
    """Turns an error of the database below into a StoreError or WorkspaceError that names `path`."""
    try:
        yield
    except DBAPIError as error:
        raise explain(path, str(error.orig)) from error
    except OSError as error:
        raise WorkspaceError(
            f"{path} can't be opened: {error.strerror or error}",
            f"look at {path.parent}, or make a workspace of your own: kgrade new DIR",
        ) from error


def explain(path: Path, words: str) -> KgradeError:
    """The error for SQLite's `words` about the database at `path`."""
    for failure in _FAILURES:
        if any(part in words for part in failure.words):
            break
    else:
        return StoreError(f"{path} can't be used: {words}", "move the file away to start a new one")
    return _error(failure, path)


def unwritable(path: Path) -> KgradeError:
    """The error for a database that was found to be read-only before anything was tried."""
    return _error(_UNWRITABLE, path)


def _error(failure: _Failure, path: Path) -> KgradeError:
    # Hints are lines to paste into a shell.
    shell = {"path": quote(str(path)), "folder": quote(str(path.parent))}
    return failure.error(failure.message.format(path=path), failure.hint.format(**shell))
