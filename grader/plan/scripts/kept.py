"""Compiled kernels of a script that are kept for its next grading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader import __version__
from grader.compile.cache import make_key
from grader.compile.program import Program
from grader.core.files import Room, keep, read_kept

MOST_CODE = 16 << 20
"""Characters of PTX, or bytes of machine code, of one kernel. What is kept of one script has as much room."""
_ROOM = Room(files=500, size=1 << 30)
_KEY_LENGTH = 200


class KeptCode:
    """What processes compiled for one script, in hexadecimal, in a file of a folder.

    The script alone reads it: what a submission could spoil, nobody else gets. What can't be read or written is
    compiled again.
    """

    def __init__(self, folder: Path, program: Program) -> None:
        parts = {"script": program.script, "language": program.language, "version": __version__}
        self._file = folder / f"{make_key(parts)}.json"

    def load(self) -> dict[str, str]:
        """What is kept, by the keys of the process."""
        try:
            if self._file.stat().st_size > MOST_CODE:
                return {}
            data = json.loads(read_kept(self._file))
        except (OSError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) and _is_kept(data) else {}

    def add(self, compiled: Mapping[str, str]) -> None:
        """Keeps more."""
        if not compiled or not _is_kept(compiled) or sum(map(len, compiled.values())) > MOST_CODE:
            return
        data = json.dumps({**self.load(), **compiled}).encode()
        if len(data) <= MOST_CODE:
            keep(self._file, data, _ROOM)


def _is_kept(data: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(key, str)
        and len(key) <= _KEY_LENGTH
        and key.isascii()
        and key.isalnum()
        # The next process would end at what is no code.
        and isinstance(code, str)
        and is_hexadecimal(code)
        for key, code in data.items()
    )


def is_hexadecimal(word: str) -> bool:
    """Whether a text from a process is bytes in hexadecimal, and nothing else."""
    # bytes.fromhex() alone would skip spaces.
    if word and not (word.isascii() and word.isalnum()):
        return False
    try:
        bytes.fromhex(word)
    except ValueError:
        return False
    return True
