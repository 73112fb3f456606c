"""The two consoles, and text that is safe to print on them.

rich decides on colours by the terminal, NO_COLOR and FORCE_COLOR.
"""

from __future__ import annotations

import os
import sys
from typing import IO, Any, TextIO, cast

from rich.console import Console

from grader.boards.words import no_command, visible

TAB = 4


class _NoCommands:
    """A stream for people, on which no text of a submission begins a command of a workflow's runner.

    It sees whole lines, as they are wrapped.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(no_command(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader, such as `head`, is gone: discards the rest, and keeps the verdict's exit code."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output() -> Console:
    """The console on standard output. Markup is not interpreted, because printed text is often untrusted."""
    return _Console(file=_of_people(sys.stdout), highlight=False, emoji=False, markup=False)


def messages() -> Console:
    """The console on standard error, for progress and remarks."""
    return Console(file=_of_people(sys.stderr), stderr=True, highlight=False, emoji=False, markup=False)


def _of_people(stream: TextIO) -> IO[str]:
    return cast("IO[str]", _NoCommands(stream))


def safe(text: str) -> str:
    """`text` with control characters spelled out, so that a submission can't control the terminal."""
    return visible(text).expandtabs(TAB)


def is_unicode(console: Console) -> bool:
    return not console.options.ascii_only
