"""Atomic file writes: a reader sees the whole file or none of it. And folders of kept files, which have a limit."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Room:
    """The most files and bytes that a folder keeps. What submissions leave has one, or they could fill the disk."""

    files: int
    size: int


def write_whole(path: Path, data: bytes) -> None:
    """Writes a temporary file in the same folder and renames it to `path`; makes the folder if needed.

    Raises OSError and leaves any earlier file as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read_text_of_others(path: Path, most: int = 1 << 20, errors: str = "strict") -> str:
    """The text of a file that somebody else may have made, with line feeds alone: UTF-8, at most `most` bytes.

    Raises OSError, also for what is no regular file and might never end, and UnicodeDecodeError. `errors` is as for
    `bytes.decode`.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")


def read_kept(path: Path) -> bytes:
    """Reads a kept file, which from now on counts as just used. Raises OSError."""
    data = path.read_bytes()
    # A folder that can't be written is no error.
    with suppress(OSError):
        os.utime(path)
    return data


def keep(path: Path, data: bytes, room: Room) -> None:
    """Keeps a file in a folder of such files. One that is full forgets all but what half of it holds: those used last.

    What can't be written is not kept.
    """
    with suppress(OSError):
        write_whole(path, data)
        _forget_oldest(path.parent, room)


def _forget_oldest(folder: Path, room: Room) -> None:
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            # One half written by a process that was killed counts too; one that another process renames now does not.
            with suppress(FileNotFoundError):
                if entry.is_file(follow_symlinks=False):
                    files.append((entry.path, entry.stat()))
    if len(files) <= room.files and sum(status.st_size for _, status in files) <= room.size:
        return
    size = 0
    for number, (path, status) in enumerate(sorted(files, key=lambda pair: pair[1].st_mtime, reverse=True), 1):
        size += status.st_size
        if number > room.files // 2 or size > room.size // 2:
            Path(path).unlink(missing_ok=True)
