"""The debugger in a terminal: reads a command a line, from a person or from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TextIO

from grader.core.errors import KgradeError
from grader.debug import console_looks as looks
from grader.debug.arguments import RequestError
from grader.debug.breakpoints import Breakpoint
from grader.debug.console import Console
from grader.debug.debugger import Debugger
from grader.debug.launch import Launch, Recorder
from grader.debug.state import State
from grader.debug.threads import OtherBlock, dim3_text
from grader.debug.values import EvaluationError

PROMPT = "(kgrade) "
LONGEST_LINE = 4096
ENDS = ("quit", "q", "exit")
OWN = {
    "restart": f"  {'restart':32} read the file again and record anew; breakpoints stay",
    **dict.fromkeys(ENDS, f"  {'quit (q)':32} leave the debugger"),
}
"""What only a terminal knows, with its help."""


def debug_in_terminal(record: Recorder, launch: Launch, source: TextIO, write: Callable[[str], None]) -> None:
    """Carries out commands until quit or the end of the source; what can't be done is said and passed over.

    Raises KgradeError if the first recording fails.
    """
    front = _Front(record, launch, write)
    interactive = source.isatty()
    last = ""
    if interactive:
        # Keys such as the arrows, where Python was built with them.
        with suppress(ImportError):
            import readline  # noqa: F401
    while (line := _next_line(source, interactive, write)) is not None:
        line = line.strip() or (last if interactive else "")
        if not line or line.startswith("#"):
            continue
        if line in ENDS:
            return
        last = line
        try:
            front.carry_out(line)
        except (EvaluationError, RequestError) as error:
            write(f"! {error}")
        except KgradeError as error:
            write(f"! {error.message}\n  {error.hint}".rstrip())


class _Front:
    """Carries out commands, and those that record anew: restart, and what names a block that was not recorded."""

    def __init__(self, record: Recorder, launch: Launch, write: Callable[[str], None]) -> None:
        self._write = write
        self._state = State(self._heard, record, launch, launch)
        self._state.debugger = Debugger(record(launch, write), write, step=0)
        _introduce(self._console())

    def carry_out(self, line: str) -> None:
        """Carries out one command. Raises EvaluationError, RequestError, KgradeError."""
        word, _, rest = line.partition(" ")
        if word in OWN and rest:
            raise EvaluationError(f"{word} takes nothing after it; here is {rest.strip()[:40]}")
        if word == "restart":
            assert self._state.launch is not None
            self._renewed(self._state.renew(self._state.launch))
            return
        if word == "help" and rest in OWN:
            self._write(OWN[rest])
            return
        try:
            self._console().execute(line)
        except OtherBlock as other:
            self._renewed(self._state.enter(other.block))
            self._console().execute(line)
        if line == "help":
            self._write(OWN["restart"])
            self._write(OWN["quit"])

    def _console(self) -> Console:
        return Console(self._state.needed(), self._write, self._state.main_file())

    def _renewed(self, dropped: Sequence[Breakpoint]) -> None:
        self._state.needed().step = 0
        for one in dropped:
            self._write(f"breakpoint {one.number}, {one.words}: no recorded thread gets there now")
        _introduce(self._console())

    def _heard(self, name: str, body: Mapping[str, str]) -> None:
        if name == "output":
            self._write(body["output"].rstrip("\n"))


def _next_line(source: TextIO, interactive: bool, write: Callable[[str], None]) -> str | None:
    if interactive and source is sys.stdin:
        try:
            return input(PROMPT)
        except EOFError:
            write("")
            return None
    line = source.readline(LONGEST_LINE)
    if not line:
        return None
    if not line.endswith("\n") and len(line) == LONGEST_LINE:
        while (more := source.readline(LONGEST_LINE)) and not more.endswith("\n"):
            pass
        write(f"! a command has at most {LONGEST_LINE} characters")
        return ""
    if line.strip():
        # Whoever reads the output of a script sees what was asked.
        write(PROMPT + line.strip())
    return line


def _introduce(console: Console) -> None:
    debugger, write = console.debugger, console.write
    trace = debugger.trace
    sizes = ", ".join(f"{name}={size}" for name, size in trace.sizes.items())
    write(f"{trace.kernel} of {trace.problem}, {sizes}: {len(trace):,} steps of {_blocks(debugger)}")
    for remark in trace.remarks:
        write(f"  {remark}")
    for mark in trace.marks:
        write(f"{mark.kind.replace('_', ' ')}: {mark.words}" + (f" (step {mark.step + 1:,})" if mark.step >= 0 else ""))
    write("help lists the commands; continue goes to the first fault")
    write(looks.position(debugger))


def _blocks(debugger: Debugger) -> str:
    blocks = debugger.trace.blocks
    return ("block " if len(blocks) == 1 else "blocks ") + " and ".join(map(dim3_text, blocks))
