"""Caches compiled programs by a hash of everything they depend on, one small file each.

A cache that can't be read or written is no error; everything is then compiled again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.compile.program import Program, program_from_json, program_to_json
from grader.core.files import Room, keep, read_kept

FORMAT = 5
"""Part of every key: increase it when the same source compiles to something else or is stored differently."""

ROOM = Room(files=500, size=1 << 30)
"""A library of templates may have some megabytes."""


def make_key(parts: Mapping[str, Any]) -> str:
    text = json.dumps([FORMAT, parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """A folder of results. `folder` None remembers nothing."""

    def __init__(self, folder: Path | None, room: Room = ROOM) -> None:
        self._folder = folder
        self._room = room

    def load(self, key: str) -> Program | None:
        """Returns the program stored under this key. A damaged file counts as absent; the next store replaces it."""
        if self._folder is None:
            return None
        try:
            data = json.loads(read_kept(self._folder / f"{key}.json"))
            if data["key"] != key:
                return None
            return program_from_json(data["program"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def store(self, key: str, program: Program) -> None:
        if self._folder is None:
            return
        data = {"key": key, "program": program_to_json(program)}
        keep(self._folder / f"{key}.json", json.dumps(data).encode(), self._room)
