"""Explains a source for the pages of a contest, in the process in which a worker's gradings run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.boards.coach_page import render
from grader.boards.pages import Links
from grader.coach.coach import explain, usual_sizes
from grader.contest.jobs import LARGEST_PAGE, Answer, Question
from grader.core.errors import UsageError
from grader.core.paths import cache_folder
from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.store.workspace import Workspace


def answer_of(
    workspace: Workspace,
    question: Question,
    cache: Path | None,
    progress: Callable[[str], None],
    *,
    require_sandbox: bool,
    seconds: float,
) -> Answer:
    """The explanation's page. The source is graded first, at the sizes at which it is counted: both are sandboxed."""
    problem = workspace.load(question.problem)
    submission = make_submission(question.file, question.text.encode())
    sizes = usual_sizes(problem)
    options = Options(
        cases=1, sizes=(sizes,), device="emulator", cache=cache, require_sandbox=require_sandbox, deadline=seconds
    )
    report = grade(problem, submission, options, progress)
    if report.verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        return Answer(None, f"at the sizes at which it is explained the verdict is another: {report.headline}")
    folder = cache or cache_folder()
    try:
        found = explain(
            *(problem, submission, report, sizes, folder),
            require_sandbox=require_sandbox,
            progress=progress,
            with_machine_code=None,
        )
    except UsageError as error:
        return Answer(None, error.message)
    links = Links(home=question.home, board=f"{question.home}/problems/{question.problem}")
    page = render(found, workspace.template_folders, links=links)
    if len(page) > LARGEST_PAGE:
        bare = replace(found, kernels=tuple(replace(kernel, machine=None) for kernel in found.kernels))
        page = render(bare, workspace.template_folders, links=links)
    return Answer(page) if len(page) <= LARGEST_PAGE else Answer(None, "its page would be too large")
