"""The two consoles, and text that is safe to print on them.

Colours follow the terminal, NO_COLOR and FORCE_COLOR, as rich decides; nothing here knows what is printed.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console

from grader.boards.words import visible

TAB = 4


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader, such as `head`, has gone: the rest goes nowhere, and the exit code stays the verdict's."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output() -> Console:
    """The console on standard output. Markup stays text: what is printed is often other people's."""
    return _Console(highlight=False, emoji=False, markup=False)


def messages() -> Console:
    """The console on standard error, for progress and remarks."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def safe(text: str) -> str:
    """`text` with control characters spelled out, so that a submission can't steer the terminal."""
    return visible(text).expandtabs(TAB)


def is_unicode(console: Console) -> bool:
    return not console.options.ascii_only
