"""Which line a breakpoint belongs to: the wanted one if it runs, else the next after blank lines and comments."""

from __future__ import annotations

import re

from grader.replay.trace import Trace

_EMPTY = re.compile(r"\s*(?:(?://|#|/\*|\*).*|[{}();\s]*)\s*")


def line_to_break(trace: Trace, file: int, line: int) -> int | None:
    """The line of a file that a breakpoint at `line` stops at; None if no recorded thread gets there."""
    ran = set(trace.steps.line[trace.steps.file == file].tolist())
    lines = trace.files[file].lines if 0 <= file < len(trace.files) else ()
    while line not in ran:
        if not 1 <= line <= len(lines) or not _EMPTY.fullmatch(lines[line - 1]):
            return None
        line += 1
    return line
