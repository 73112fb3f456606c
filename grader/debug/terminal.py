"""The debugger in a terminal: reads a command a line, from a person or from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from grader.core.errors import KgradeError
from grader.debug import console_looks as looks
from grader.debug.console import Console
from grader.debug.debugger import Debugger
from grader.debug.launch import Launch, Recorder
from grader.debug.restart import restarted
from grader.debug.state import State
from grader.debug.values import EvaluationError

PROMPT = "(kgrade) "
LONGEST_LINE = 4096


def debug_in_terminal(record: Recorder, launch: Launch, source: TextIO, write: Callable[[str], None]) -> None:
    """Carries out commands until quit or the end of the source; what can't be done is said and passed over.

    Raises KgradeError if the first recording fails.
    """
    state = State(lambda name, body: None, record, launch, launch)
    console = _console(Debugger(record(launch, write), write, step=0), write, state)
    _introduce(console)
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
        if line in ("quit", "q", "exit"):
            return
        last = line
        try:
            if line == "restart":
                console = _again(console, record, launch, write, state)
            else:
                console.execute(line)
        except EvaluationError as error:
            write(f"! {error}")
        except KgradeError as error:
            write(f"! {error.message}\n  {error.hint}".rstrip())


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


def _console(debugger: Debugger, write: Callable[[str], None], state: State) -> Console:
    state.debugger = debugger
    return Console(debugger, write, state.main_file())


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
    from grader.debug.threads import dim3_text

    blocks = debugger.trace.blocks
    return ("block " if len(blocks) == 1 else "blocks ") + " and ".join(map(dim3_text, blocks))


def _again(console: Console, record: Recorder, launch: Launch, write: Callable[[str], None], state: State) -> Console:
    debugger, dropped = restarted(console.debugger, record(launch, write))
    debugger.step = 0
    for one in dropped:
        write(f"breakpoint {one.number}, {one.words}: no recorded thread gets there now")
    again = _console(debugger, write, state)
    _introduce(again)
    return again
