"""Whose turn it is to write into a SQLite file, among the threads and the processes of one machine.

SQLite lets one writer in and has the others ask again after up to a tenth of a second, so that who asks often enough
keeps the rest out. Here they wait in line, and ask every millisecond for a file's lock, which ends with its process.
It keeps nothing safe, which SQLite's own lock does; where there is no turn to be had, that one is waited for.
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
"""Seconds. Who has the turn for longer is stopped, or writes into a disk that stands still."""
PAUSE = 0.001
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def stand_in(path: Path) -> tuple[int, bool]:
    """Notes that this process serves the database at `path`, until it ends or closes the descriptor that it gets.

    False where another one does already. That is allowed and seldom meant.
    """
    descriptor = os.open(path.with_name(f"{path.name}-server"), _FLAGS, 0o600)
    return descriptor, _taken(descriptor)


class Turn:
    """The turn of the database at `path`; its lock is a file beside it."""

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
        """The file, locked; None where it can't be had in time, or at all."""
        with suppress(OSError):
            descriptor = self._open()
            while not _taken(descriptor):
                if time.monotonic() > deadline:
                    return None
                time.sleep(PAUSE)
            return descriptor
        return None

    def _open(self) -> int:
        # A forked process needs a file of its own: the parent's is locked for both.
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
