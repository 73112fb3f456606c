"""Tells which problem a file is for: from a comment in it, or from the folder that it lies in."""

from __future__ import annotations

import re
from pathlib import Path

from grader.compile.submission import read_bytes
from grader.core.errors import UsageError
from grader.store.workspace import Workspace

FIRST_LINES = 20
_COMMENT = re.compile(rb"[ \t]*(?://|#)[ \t]*kgrade:[ \t]*([a-z0-9][a-z0-9_-]{0,99})[ \t]*\r?")


def problem_of(file: Path, workspace: Workspace) -> str:
    """The problem named by a comment `// kgrade: PROBLEM` (or #) in the first lines, else by the nearest folder.

    Raises UsageError where neither names one, SourceError where the file can't be read.
    """
    for line in read_bytes(file).split(b"\n", FIRST_LINES)[:FIRST_LINES]:
        if named := _COMMENT.fullmatch(line):
            name = named[1].decode()
            workspace.check_name(name)
            return name
    for folder in file.absolute().parents:
        if folder.name in workspace.problems:
            return folder.name
    raise UsageError(
        f"{file}: it is not known which problem it is for",
        f"say it in the first {FIRST_LINES} lines, as in // kgrade: matmul, or by --problem; kgrade list names them",
    )
