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
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.errors import JudgeError

PAUSE_SECONDS = 0.1


def lock_folder() -> Path:
    """The folder of the lock files, the same for every user of the machine."""
    return Path(tempfile.gettempdir()) / "kgrade-locks"


@contextlib.contextmanager
def hold(uuid: str, waiting: Callable[[], None] = lambda: None, folder: Path | None = None) -> Iterator[None]:
    """Holds the lock of the GPU with this UUID; calls `waiting` once where another process holds it.

    Raises JudgeError where the lock file can't be made or opened.
    """
    descriptor = _open(folder or lock_folder(), re.sub(r"[^\w-]", "_", uuid) + ".lock")
    try:
        told = False
        while not _taken(descriptor):
            if not told:
                waiting()
                told = True
            time.sleep(PAUSE_SECONDS)
        yield
    finally:
        os.close(descriptor)


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
