"""How much a confined process may write into its own folder.

Where bubblewrap can, the folder is in memory and has that size. Elsewhere it is on a disk, and a thread looks at it now
and then: a process that has written more is ended.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Room:
    """The most bytes and the most files and folders that a process may make in its folder; `looks` is in seconds."""

    size: int = 512 << 20
    files: int = 1 << 16
    looks: float = 0.25


class Watch:
    """Calls `end_process` once when the folder holds more than its room, beside what is in it now.

    What a folder does not show, such as deleted files that are still open, ends it when the disk runs short.
    """

    def __init__(self, folder: Path, room: Room, end_process: Callable[[], None]) -> None:
        self.full = False
        self._folder, self._room, self._end_process = folder, room, end_process
        size, files = used(folder, Room(1 << 62, 1 << 62))
        self._most = Room(size + room.size, files + room.files)
        self._free = _free(folder)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="room", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ends watching."""
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(self._room.looks):
            size, files = used(self._folder, self._most)
            beyond = size > self._most.size or files > self._most.files
            if beyond or is_short(self._room, self._free, _free(self._folder)):
                self.full = True
                self._end_process()
                return


def is_short(room: Room, before: int, now: int) -> bool:
    """Whether a disk that had twice the room free has less than the room left."""
    return now < room.size and before >= 2 * room.size


def used(folder: Path, most: Room) -> tuple[int, int]:
    """The bytes on the disk and the entries of a folder with all below; counting ends where one is beyond `most`.

    A folder that can't be read counts as too much: one that only lets its owner write would hide what is in it.
    """
    size = files = 0
    waiting = [str(folder)]
    while waiting and size <= most.size and files <= most.files:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    files += 1
                    # The process adds and removes meanwhile.
                    with suppress(FileNotFoundError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                    if files > most.files:
                        break
        except PermissionError:
            return most.size + 1, files
        except OSError:
            continue
    return size, files


def _free(folder: Path) -> int:
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize
