"""Ends processes with everything that they started, also what left its session, its group or its parent.

Linux alone: it looks into /proc. Who may be killed is the caller's to say.
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
    """From now on what loses its parent below this process becomes its child, and not that of the system."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """All processes below `root`, those that are dead and not waited for left out."""
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
    """Kills all that is below `root`, until nothing is; what is left after some seconds is returned."""
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
    """Every process that runs, with its parent."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                # The name of a program may hold blanks and parentheses.
                state, parent = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    yield int(folder.name), int(parent)
