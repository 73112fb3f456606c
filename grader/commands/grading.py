"""What `submit`, `test` and `watch` have in common: find the parts, grade with progress, print the report.

It records nothing; `submit` does that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.engines import Engines
from grader.commands.options import Asked
from grader.commands.progress import show_progress
from grader.store.workspace import Workspace

if TYPE_CHECKING:
    from grader.boards.filing import Filing
    from grader.core.report import Report


def grade_file(
    workspace: Workspace,
    problem: str,
    file: str,
    asked: Asked,
    engines: Engines,
    *,
    user: str,
    sizes: Sequence[dict[str, int]] = (),
    quiet: bool = False,
    problem_set: str | None = None,
    filing: Filing | None = None,
) -> Report:
    """Grade `file` for `problem`, with progress on a terminal's standard error unless `quiet`.

    `problem_set` is the folder of somebody else's problems where `problem` is one of those. `filing` is begun at
    once, and opened when grading begins: where that fails, nothing is timed.
    """
    from grader.compile.reading import end_waiting
    from grader.run import head_start

    # Before anything else is loaded. Tests of somebody else's problem are yet to be made.
    folder = workspace.folder_of(problem) if problem_set is None else None
    if folder is not None:
        from grader.sandbox import Sandbox

        engines.begin(asked.device, folder, Sandbox.find(asked.require_sandbox))
    # More threads take NumPy longer to start than they save a reference.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "4")
    try:
        if filing is not None:
            filing.begin()
        from grader.compile.submission import read_submission
        from grader.judge.conductor import Options

        def meanwhile() -> None:
            # What is needed later and takes a tenth of a second to load.
            import cattrs  # noqa: F401

            import grader.terminal.report  # noqa: F401

            if filing is not None:
                filing.open()

        options = Options(**vars(asked), user=user, sizes=sizes)
        if problem_set is not None:
            from grader.commands.challenges import grade_challenge

            return grade_challenge(
                *(problem_set, problem, Path(file), options, engines), quiet=quiet, meanwhile=meanwhile
            )
        loaded = workspace.load(problem)
        submission = read_submission(Path(file))
        with show_progress(quiet, "compiling") as progress:
            return engines.grade(loaded, submission, options, progress=progress, meanwhile=meanwhile)
    finally:
        head_start.end()
        end_waiting()


def print_result(
    report: Report, file: str, *, as_json: bool, number: int | None = None, page: Path | None = None
) -> None:
    """The report as one JSON object, or for a person, with `file` as typed so that commands repeat."""
    if as_json:
        click.echo(json.dumps(json_object(report, number, page), allow_nan=False))
        return
    from grader.terminal.console import output
    from grader.terminal.report import print_report

    print_report(replace(report, file=file), output(), submission=number, page=page)


def json_object(report: Report, number: int | None = None, page: Path | None = None) -> dict[str, Any]:
    """The report for programs: `fault` is the fault's word, and what is known of it in `fault_details`.

    The source is left out, since the caller has it; its hash is there.
    """
    from grader.core.report import to_data

    data = _with_fault_word(to_data(report))
    del data["source"]
    data["cases"] = [_with_fault_word(case) for case in data["cases"]]
    if data["smallest"] is not None:
        data["smallest"] = _with_fault_word(data["smallest"])
    data["submission"] = number
    data["page"] = None if page is None else str(page)
    return data


def _with_fault_word(data: Mapping[str, Any]) -> dict[str, Any]:
    details = data["fault"]
    return {**data, "fault": details and details["fault"], "fault_details": details}
