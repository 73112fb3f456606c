"""One lock a GPU, shared by all users of a machine, so that two gradings never disturb each other's times.

The system releases it when the process ends, however it ends; lock files stay and mean nothing by themselves.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from grader.errors import JudgeError

PAUSE_SECONDS = 0.1
"""How often a newcomer asks. Who has waited for some seconds asks more often, so that it is likely to be next."""


def lock_folder() -> Path:
    """The folder of the lock files, the same for every user of the machine."""
    return Path(tempfile.gettempdir()) / "kgrade-locks"


class Turn:
    """The lock of the GPU with this UUID, for one grading; as a context it is waited for, and given back.

    `waiting` is called once where another process holds it. Taking it raises JudgeError where the lock file can't be
    made or opened.
    """

    def __init__(self, uuid: str, waiting: Callable[[], None] = lambda: None, folder: Path | None = None) -> None:
        self._name = re.sub(r"[^\w-]", "_", uuid) + ".lock"
        self._waiting = waiting
        self._folder = folder
        self._descriptor: int | None = None

    def try_now(self) -> bool:
        """Takes the lock if nobody else has it; says whether it is held."""
        if self._descriptor is None:
            descriptor = _open(self._folder or lock_folder(), self._name)
            if not _taken(descriptor):
                os.close(descriptor)
                return False
            self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Gives it back; nothing where it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> None:
        if not self.try_now():
            self._waiting()
            began = time.monotonic()
            while not self.try_now():
                time.sleep(PAUSE_SECONDS / (1 + time.monotonic() - began))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(folder: Path, name: str) -> int:
    """The lock file's descriptor, which no child inherits.

    It is opened for reading, which is enough for flock: so it does not matter whose the file is. Neither the
    folder nor the file may be a link, or another user could make us open any file of ours.
    """
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            # Everybody may add a file, nobody may take away another's; mkdir's mode is cut by the umask.
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
        # Made only where it is not there: Linux refuses O_CREAT on another user's file in such a folder.
        with contextlib.suppress(FileExistsError):
            made = os.open(name, kept | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=place)
            os.fchmod(made, 0o644)
            return made
    return os.open(name, kept, dir_fd=place)
