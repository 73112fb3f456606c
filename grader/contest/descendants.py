"""Kills processes with all their descendants, including those that left their session, group or parent.

Linux only: it reads /proc. The caller decides which processes to kill.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PAUSE, _PATIENCE = 0.02, 10.0


def adopt_orphans() -> None:
    """Makes this process the reaper of its orphaned descendants, in place of init."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """All descendants of `root` except zombies."""
    children: dict[int, list[int]] = {}
    for number, parent in _parents():
        children.setdefault(parent, []).append(number)
    found, left = [], [root]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found


def end_descendants(root: int) -> list[int]:
    """Kills all descendants of `root` until none is left; returns those still there after some seconds."""
    until = time.monotonic() + _PATIENCE
    while (found := descendants(root)) and time.monotonic() < until:
        for number in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(number, os.WNOHANG)
        time.sleep(_PAUSE)
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Yields (process, parent) for every running process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                # A program's name may contain blanks and parentheses.
                state, parent = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    yield int(folder.name), int(parent)
