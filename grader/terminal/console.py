"""The two consoles, and text that is safe to print on them.

rich decides on colours by the terminal, NO_COLOR and FORCE_COLOR.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console

from grader.boards.words import visible

TAB = 4


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader, such as `head`, is gone: discards the rest, and keeps the verdict's exit code."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output() -> Console:
    """The console on standard output. Markup is not interpreted, because printed text is often untrusted."""
    return _Console(highlight=False, emoji=False, markup=False)


def messages() -> Console:
    """The console on standard error, for progress and remarks."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def safe(text: str) -> str:
    """`text` with control characters spelled out, so that a submission can't control the terminal."""
    return visible(text).expandtabs(TAB)


def is_unicode(console: Console) -> bool:
    return not console.options.ascii_only
