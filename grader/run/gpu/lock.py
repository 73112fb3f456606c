"""One lock per GPU, shared by all users of a machine, so that two gradings never disturb each other's times.

A waiting process has a ticket, and the oldest ticket is next. The system releases locks and tickets when a process
ends, however it ends; lock files stay and mean nothing by themselves.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from grader.core.errors import JudgeError

PAUSE_SECONDS = 0.05
"""How often waiting processes ask."""
PATIENCE = 40
"""How many times in a row a free lock is left to older tickets, whose processes may be stopped (Ctrl-Z)."""

_FLOCK = "@hhqqi0q"
"""C's struct flock: kind, whence, start, length, process."""


def lock_folder() -> Path:
    """Returns the folder of the lock files, the same for every user of the machine."""
    return Path(tempfile.gettempdir()) / "kgrade-locks"


class Turn:
    """The lock of the GPU with this UUID, for one grading; as a context manager it waits for the lock and releases it.

    `waiting` is called once if another process holds it. Taking it raises JudgeError if the lock file cannot be made or
    opened.
    """

    def __init__(self, uuid: str, waiting: Callable[[], None] = lambda: None, folder: Path | None = None) -> None:
        self._name = re.sub(r"[^\w-]", "_", uuid) + ".lock"
        self._waiting = waiting
        self._folder = folder
        self._descriptor: int | None = None

    def try_now(self) -> bool:
        """Takes the lock if nobody has it or waits for it; returns whether it is held."""
        if self._descriptor is None:
            with self._opened() as descriptor:
                if not _waits(descriptor):
                    self._take()
        return self._descriptor is not None

    def release(self) -> None:
        """Releases the lock if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> None:
        if self.try_now():
            return
        self._waiting()
        with self._opened() as queue:
            ticket, left = _draw_ticket(queue), 0
            while True:
                if not self._take():
                    left = 0
                elif left == PATIENCE or not _waits(queue, ticket):
                    return
                else:
                    self.release()
                    left += 1
                time.sleep(PAUSE_SECONDS)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()

    def _take(self) -> bool:
        """Takes the lock if nobody has it, whoever waits; returns whether it did."""
        descriptor = self._open()
        if _taken(descriptor):
            self._descriptor = descriptor
            return True
        os.close(descriptor)
        return False

    def _open(self) -> int:
        return _open(self._folder or lock_folder(), self._name)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        descriptor = self._open()
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _draw_ticket(descriptor: int) -> int:
    """Returns a ticket: a number larger than those of all earlier ones. It ends when the descriptor is closed.

    A ticket is a shared lock on the byte of this number, which requires only the right to read the file.
    """
    ticket = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    _byte_lock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_RDLCK, ticket, 1)
    return ticket


def _waits(descriptor: int, before: int = 0) -> bool:
    """Returns whether anybody has a ticket, or one older than `before`; those of this descriptor don't count."""
    return _byte_lock(descriptor, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, 0, before) != fcntl.F_UNLCK


def _byte_lock(descriptor: int, command: int, kind: int, start: int, length: int) -> int:
    """Asks for a lock on bytes, owned by the open file description (fcntl(2)); a length of 0 means all bytes.

    Returns the kind of a conflicting lock. A system without such locks has no queue: any waiting process may be next.
    """
    try:
        answer = fcntl.fcntl(descriptor, command, struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return fcntl.F_UNLCK
    return int(struct.unpack(_FLOCK, answer)[0])


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(folder: Path, name: str) -> int:
    """Opens the lock file; returns its descriptor, which no child inherits.

    It is opened for reading, which is enough for flock, so that it does not matter whose the file is. Neither the
    folder nor the file may be a link, or another user could make this process open any of its files. Raises JudgeError.
    """
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            # Everybody may add a file, nobody may remove another's; the umask cuts mkdir's mode.
            folder.chmod(0o1777)
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            return _open_in(place, name)
        finally:
            os.close(place)
    except OSError as error:
        raise JudgeError(
            f"the lock of the GPU, {folder / name}, can't be used: {error.strerror}",
            f"remove {folder}, or set TMPDIR to a folder that everybody who grades here may use",
        ) from None


def _open_in(place: int, name: str) -> int:
    kept = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(name, kept, dir_fd=place)
    except FileNotFoundError:
        # Created only if it does not exist: Linux refuses O_CREAT on another user's file in such a folder.
        with contextlib.suppress(FileExistsError):
            made = os.open(name, kept | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=place)
            os.fchmod(made, 0o644)
            return made
    return os.open(name, kept, dir_fd=place)
