"""Caches compiled programs by a hash of everything they depend on, one small file each.

A cache that can't be read or written is no error; everything is then compiled again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from grader.compile.program import Program, program_from_json, program_to_json
from grader.core.files import write_whole

FORMAT = 5
"""Part of every key: increase it when the same source compiles to something else or is stored differently."""

KEEP = 500
KEEP_BYTES = 1 << 30
"""Limit on all results together; a library of templates may have some megabytes."""


def make_key(parts: Mapping[str, Any]) -> str:
    text = json.dumps([FORMAT, parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """A folder of results. `folder` None remembers nothing."""

    def __init__(self, folder: Path | None, keep: int = KEEP, keep_bytes: int = KEEP_BYTES) -> None:
        self._folder = folder
        self._keep, self._keep_bytes = keep, keep_bytes

    def load(self, key: str) -> Program | None:
        """Returns the program stored under this key. A damaged file counts as absent; the next store replaces it."""
        if self._folder is None:
            return None
        try:
            data = json.loads((self._folder / f"{key}.json").read_bytes())
            if data["key"] != key:
                return None
            return program_from_json(data["program"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def store(self, key: str, program: Program) -> None:
        if self._folder is None:
            return
        data = {"key": key, "program": program_to_json(program)}
        with suppress(OSError):
            write_whole(self._folder / f"{key}.json", json.dumps(data).encode())
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        assert self._folder is not None
        files = [(file, file.stat()) for file in self._folder.glob("*.json")]
        if len(files) <= self._keep and sum(status.st_size for _, status in files) <= self._keep_bytes:
            return
        files.sort(key=lambda pair: pair[1].st_mtime, reverse=True)
        kept_bytes = 0
        for number, (file, status) in enumerate(files, 1):
            kept_bytes += status.st_size
            if number > self._keep // 2 or kept_bytes > self._keep_bytes // 2:
                file.unlink(missing_ok=True)
