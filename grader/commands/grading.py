"""The common part of `submit`, `test` and `watch`: load problem and file, grade with progress, print the report.

Recording is left to `submit`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    from grader.compile.submission import Submission
    from grader.core.report import Modelled, Report
    from grader.judge.conductor import Options
    from grader.model.gpus import ModelGpu
    from grader.problem import Problem


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
    replay: bool = False,
    model_gpu: ModelGpu | None = None,
) -> Report:
    """Grades `file` for `problem`, with progress on standard error unless `quiet`.

    `problem_set` is the folder of the third-party problem set that `problem` belongs to, if any. `filing` is begun at
    once and opened when grading begins; if that fails, nothing is timed. With `replay` a failing case is recorded.
    `model_gpu` is the GPU whose model time is added where the emulator accepts; None for none.
    """
    with _processes(workspace, problem if problem_set is None else None, asked, engines):
        if filing is not None:
            filing.begin()
        from grader.languages.registry import read_submission

        def meanwhile() -> None:
            # Needed later, and takes a tenth of a second to load.
            import cattrs  # noqa: F401

            import grader.terminal.report  # noqa: F401

            if filing is not None:
                filing.open()

        options = options_of(asked, user, sizes, replay=replay)
        if problem_set is not None:
            from grader.commands.challenges import grade_challenge

            return grade_challenge(
                *(problem_set, problem, Path(file), asked.language, options, engines), quiet=quiet, meanwhile=meanwhile
            )
        loaded = workspace.load(problem)
        submission = read_submission(Path(file), asked.language)
        with show_progress(quiet, "compiling") as progress:
            report = engines.grade(loaded, submission, options, progress=progress, meanwhile=meanwhile)
            if model_gpu is None or not report.ranks_by_model:
                return report
            return replace(report, model=_modelled(loaded, submission, model_gpu, asked, engines, progress))


def _modelled(
    problem: Problem,
    submission: Submission,
    gpu: ModelGpu,
    asked: Asked,
    engines: Engines,
    progress: Callable[[str], None],
) -> Modelled:
    """The model times of what is accepted already: Ctrl-C ends only them."""
    from grader.core.report import Modelled

    try:
        return engines.modelled(
            *(problem, submission, problem.benchmarks, gpu, lambda text: progress(f"accepted; {text}")),
            seconds=asked.deadline,
            require_sandbox=asked.require_sandbox,
        )
    except KeyboardInterrupt:
        return Modelled(gpu.name, gpu.calibrated, "", why_not="it was interrupted")


def grade_text(
    workspace: Workspace,
    problem: str,
    text: str,
    asked: Asked,
    engines: Engines,
    *,
    user: str = "",
    sizes: Sequence[Mapping[str, int]] = (),
    progress: Callable[[str], None] = lambda text: None,
    replay: bool = False,
) -> Report:
    """Grades a text that is in no file, such as a notebook's cell, as `grade_file` grades a file."""
    from grader.languages.registry import text_submission

    with _processes(workspace, problem, asked, engines):
        loaded = workspace.load(problem)
        submission = text_submission(text, asked.language)
        return engines.grade(loaded, submission, options_of(asked, user, sizes, replay=replay), progress=progress)


def options_of(asked: Asked, user: str, sizes: Sequence[Mapping[str, int]], *, replay: bool = False) -> Options:
    """What a command was asked for, as the judge takes it."""
    from grader.judge.conductor import Options

    given = {name: value for name, value in vars(asked).items() if name != "language"}
    return Options(**given, user=user, sizes=sizes, replay=replay)


@contextmanager
def _processes(workspace: Workspace, problem: str | None, asked: Asked, engines: Engines) -> Iterator[None]:
    """Starts the processes that grading needs before anything else is loaded; in the end it ends those not taken.

    `problem` is None for one of a third-party set, whose tests have yet to be made.
    """
    from grader.compile.reading import end_waiting
    from grader.core.memory import keep_freed_memory
    from grader.core.threads import OF_A_JUDGE
    from grader.run import head_start

    folder = None if problem is None else workspace.folder_of(problem)
    if folder is not None:
        from grader.sandbox import Sandbox

        engines.begin(asked.device, folder, Sandbox.find(asked.require_sandbox))
    keep_freed_memory()
    for name, value in OF_A_JUDGE.items():
        os.environ.setdefault(name, value)
    try:
        yield
    finally:
        head_start.end()
        end_waiting()


def print_result(
    report: Report, file: str, *, as_json: bool, number: int | None = None, page: Path | None = None
) -> None:
    """Prints the report as one JSON object or for a person, with `file` as typed, for commands to copy."""
    if as_json:
        click.echo(json.dumps(json_object(report, number, page), allow_nan=False))
        return
    from grader.terminal.console import output
    from grader.terminal.report import print_report

    print_report(replace(report, file=file), output(), submission=number, page=page)


def json_object(report: Report, number: int | None = None, page: Path | None = None) -> dict[str, Any]:
    """The report as JSON data: `fault` is the fault's class, `fault_details` its details.

    The source is left out, since the caller has it; its hash is included. A replay's recording is left to the page.
    """
    from grader.core.report import to_data

    data = _with_fault_word(to_data(report))
    del data["source"]
    data["cases"] = [_with_fault_word(case) for case in data["cases"]]
    if data["smallest"] is not None:
        data["smallest"] = _with_fault_word(data["smallest"])
    if data["replay"] is not None:
        del data["replay"]["packed"]
    data["submission"] = number
    data["page"] = None if page is None else str(page)
    return data


def _with_fault_word(data: Mapping[str, Any]) -> dict[str, Any]:
    details = data["fault"]
    return {**data, "fault": details and details["fault"], "fault_details": details}
