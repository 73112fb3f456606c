"""Makes the writers of a SQLite file take turns, among the threads and processes of one machine.

SQLite admits one writer and lets the others retry after up to a tenth of a second, so that a frequent writer starves
the rest. Here they wait in line and try a file lock, which ends with its process, every millisecond. Safety is left to
SQLite's own lock; if no turn can be had, writers wait for that one.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 10.0
"""Seconds. A process that has the turn for longer is stopped or writes to a stalled disk."""
PAUSE = 0.001
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def stand_in(path: Path) -> tuple[int, bool]:
    """Marks this process as server of the database at `path` until it ends or closes the returned descriptor.

    The flag is False if another process serves it already, which is allowed but seldom intended.
    """
    descriptor = os.open(path.with_name(f"{path.name}-server"), _FLAGS, 0o600)
    return descriptor, _taken(descriptor)


class Turn:
    """The turn to write to the database at `path`; its lock is a file beside it."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._file = path.with_name(f"{path.name}-turn")
        self._mine = threading.Lock()
        self._descriptor: int | None = None
        self._process = 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        deadline = time.monotonic() + self._patience
        own = self._mine.acquire(timeout=self._patience)
        locked = None
        try:
            locked = self._locked(deadline) if own else None
            yield
        finally:
            if locked is not None:
                fcntl.flock(locked, fcntl.LOCK_UN)
            if own:
                self._mine.release()

    def _locked(self, deadline: float) -> int | None:
        """The descriptor of the locked file; None if it can't be locked in time, or at all."""
        with suppress(OSError):
            descriptor = self._open()
            while not _taken(descriptor):
                if time.monotonic() > deadline:
                    return None
                time.sleep(PAUSE)
            return descriptor
        return None

    def _open(self) -> int:
        # A forked process has to open the file itself: the parent's lock would cover both.
        if self._descriptor is None or self._process != os.getpid():
            self._descriptor, self._process = os.open(self._file, _FLAGS, 0o600), os.getpid()
        return self._descriptor

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
