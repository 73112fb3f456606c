"""What `kgrade explain` was typed with: a problem and files, or files that tell their problem."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.errors import SourceError, UsageError

if TYPE_CHECKING:
    from grader.store.workspace import Workspace

_FILES = (".cu", ".py")


def problem_and_files(workspace: Workspace, words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The problem and the one or two files that were typed; without a problem, the one that the files are of.

    Raises UsageError for another number of files, and where it can't be seen which problem they belong to.
    """
    first, *rest = words
    named = not (first.endswith(_FILES) or Path(first).is_file())
    files = tuple(rest if named else words)
    if not 1 <= len(files) <= 2:
        raise UsageError(
            f"{len(files)} files; one is explained, two are put side by side",
            "type: kgrade explain PROBLEM FILE, or kgrade explain A.cu B.cu",
        )
    if named:
        return first, files
    problems = [_problem_of(Path(file), workspace) for file in files]
    if len(set(problems)) > 1:
        raise UsageError(
            f"{files[0]} is for {problems[0]}, {files[1]} for {problems[1]}",
            "say for which problem both are: kgrade explain PROBLEM A.cu B.cu",
        )
    return problems[0], files


def _problem_of(file: Path, workspace: Workspace) -> str:
    """The problem by a comment or the folder, else by the name of the kernel that the file defines."""
    from grader.findings.problem_name import problem_of

    try:
        return problem_of(file, workspace)
    except SourceError:
        raise
    except UsageError as unknown:
        found = _by_kernel(file, workspace)
        if len(found) == 1:
            return found[0]
        hint = f"say it: kgrade explain PROBLEM {file}; or in its first lines, as in // kgrade: matmul"
        if found:
            raise UsageError(f"{file}: its kernel is that of several problems: {', '.join(found)}", hint) from None
        raise UsageError(unknown.message, hint) from None


def _by_kernel(file: Path, workspace: Workspace) -> list[str]:
    """The problems whose kernel's name stands in the file before a parenthesis."""
    from grader.compile.submission import read_bytes

    words = set(re.findall(rb"([A-Za-z_][A-Za-z0-9_]{0,199})[ \t]*\(", read_bytes(file)))
    return [problem.name for problem in workspace.load_all()[0] if problem.kernel.encode() in words]
