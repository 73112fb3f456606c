"""The emulator's object code, kept by the judge between processes that never see a file of it.

A process gets what was compiled from the same image, and nothing else: what one submission could spoil, nobody else
reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from grader.core.files import Room, keep, read_kept

SHARED = "shared"
COUNTING = "counting"
"""The keys of what every process needs, one that checks and one that counts, compiled before it has seen a
submission."""

LARGEST = 64 << 20
"""Bytes of one entry."""
ROOM = Room(files=2000, size=2 << 30)


def key_of(module: str, image: str, debug: bool) -> str:
    """Returns the key of an image, for what `module` makes of it."""
    return hashlib.sha256("\0".join([module, str(debug), image]).encode()).hexdigest()


class ObjectCache:
    """A folder of entries, each of object code in base 64 by the emulator's own keys.

    Without a folder it keeps nothing.

    An entry that cannot be read or written is no error: it is made again.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, key: str) -> dict[str, str]:
        if self._folder is None:
            return {}
        try:
            data = json.loads(read_kept(self._file(key)))
        except (OSError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) and all(isinstance(code, str) for code in data.values()) else {}

    def add(self, key: str, objects: Mapping[str, str]) -> None:
        if self._folder is None:
            return
        data = json.dumps({**self.load(key), **objects}).encode()
        if len(data) <= LARGEST:
            keep(self._file(key), data, ROOM)

    def _file(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / "objects" / f"{key}.json"
