"""`kgrade.grade`: grades a text or a file from Python."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from reprlib import repr as short

from grader.commands.engines import Engines
from grader.commands.grading import grade_file, grade_text
from grader.commands.options import Asked
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName
from grader.notebook.shown import ShownReport
from grader.store.workspace import find_workspace

_calls = itertools.count()


def grade(
    problem: str,
    source: str | os.PathLike[str],
    *,
    language: str | None = None,
    sizes: Mapping[str, int] | Sequence[Mapping[str, int]] = (),
    cases: int = Asked.cases,
    seed: int | None = None,
    device: str = Asked.device,
    deadline: int = Asked.deadline,
    require_sandbox: bool = False,
    workspace: str | os.PathLike[str] | None = None,
) -> ShownReport:
    """Grades `source` for the problem of this name and returns its Report; nothing is recorded.

    `source` is the text itself, or the path of a file if it is a `pathlib.Path`. `language` is "cuda", "triton",
    "cutile", "cute" or "numba", None for what the text shows. `sizes` are those of one case, such as
    `{"M": 17, "N": 1, "K": 3}`, or of several; without them `cases` are drawn from `seed`, or from a new seed.
    `device` is "auto", "emulator", "gpu" or "gpu:1". `deadline` is in seconds. `workspace` is a folder with problems/
    and submissions/, by default the nearest one above the working folder.

    The Report has the fields of `grader.core.report.Report`, among them `verdict`, `headline`, `fault`, `line` and
    `cases`; a notebook shows it as a page, and `print` shows what `kgrade test` prints.

    Raises UsageError for what can't be graded, such as a wrong name, and JudgeError where a tool is missing: both from
    `grader.core.errors`, with a `hint` at what to do.
    """
    if not isinstance(problem, str):
        raise UsageError(
            f"the problem is {short(problem)}, where a name such as 'matmul' is expected", "type: kgrade list"
        )
    if not isinstance(source, (str, os.PathLike)):
        raise UsageError(
            f"the source is {short(source)}, where a text, or the path of a file, is expected",
            "for a file write: Path('mine.cu')",
        )
    if not isinstance(workspace, (str, os.PathLike, type(None))):
        raise UsageError(
            f"the workspace is {short(workspace)}, where a folder is expected", "leave it out for your own"
        )
    given = _cases(sizes)
    engines = Engines()
    if next(_calls) == 1:
        from grader.run.templates import use_templates

        # Templates make the first grading slower and all others faster.
        use_templates(engines.sandbox())
    asked = Asked(
        language=None if language is None else find_name(language),
        cases=cases,
        seed=seed,
        device=device,
        require_sandbox=require_sandbox,
        deadline=deadline,
    )
    place = find_workspace(None if workspace is None else os.fspath(workspace))
    if isinstance(source, str):
        report = grade_text(place, problem, source, asked, engines, sizes=given, replay=True)
    else:
        file = os.fspath(Path(source))
        report = grade_file(place, problem, file, asked, engines, user="", sizes=given, quiet=True, replay=True)
    return ShownReport.of(report)


def _cases(sizes: object) -> list[dict[str, int]]:
    """The sizes as those of a list of cases. Raises UsageError for what are no sizes."""
    cases = [sizes] if isinstance(sizes, Mapping) else sizes
    if not isinstance(cases, Sequence) or not all(isinstance(one, Mapping) for one in cases):
        raise UsageError(
            f"the sizes are {short(sizes)}, where those of a case, or a list of such, are expected",
            "write for example: sizes={'M': 17, 'N': 1, 'K': 3}",
        )
    return [dict(one) for one in cases]


def find_name(language: str) -> LanguageName:
    """The language of this name. Raises UsageError."""
    try:
        return LanguageName(language)
    except ValueError:
        known = ", ".join(map(str, LanguageName))
        raise UsageError(f"there is no language {short(language)}", f"use one of: {known}") from None
