"""What a debugger looks at: grades a file or an earlier submission, and records the block in which it fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.engines import Engines
from grader.commands.options import Asked, parse_sizes
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName, Verdict

if TYPE_CHECKING:
    from grader.compile.submission import Submission
    from grader.core.report import CaseResult, Report
    from grader.debug.launch import Launch
    from grader.problem import Problem
    from grader.replay.trace import Trace
    from grader.store.workspace import Workspace

NOT_RUN = (Verdict.COMPILE_ERROR,)


def record_launch(
    workspace: Workspace, engines: Engines, launch: Launch, say: Callable[[str], None], language: LanguageName | None
) -> Trace:
    """Records one block of a launch: where it fails, at the sizes asked for or else at the smallest that fail.

    Raises UsageError for what can't be found, does not compile, or leaves nothing to look at.
    """
    problem, submission, seed = _found(workspace, launch, language)
    sizes = (parse_sizes(launch.case),) if launch.case else ()
    asked = Asked(language=language, seed=launch.seed if seed is None else seed, device="emulator")
    say(f"grading {submission.path_name} for {problem.name} with --seed {asked.seed}, to find where it fails")
    from grader.commands.grading import options_of

    report = engines.grade(problem, submission, options_of(asked, "", sizes))
    result = _case(report, submission)
    if result.verdict is Verdict.ACCEPTED:
        say("it is right in every case; this is one of them")
    else:
        say(report.headline)
    say("recording what the block does")
    trace = engines.record(problem, submission, result)
    if trace is None:
        raise UsageError(
            f"{submission.path_name}: nothing could be recorded: no kernel ran on the emulator, or it does too much",
            f"try smaller sizes with --case, or see what kgrade test {problem.name} FILE --device emulator says",
        )
    return trace


def _found(
    workspace: Workspace, launch: Launch, language: LanguageName | None
) -> tuple[Problem, Submission, int | None]:
    """The problem, the text, and the seed that it was graded with, None for a file."""
    from grader.languages.registry import make_submission, read_submission

    if launch.submission is not None:
        from grader.store.database import Store

        report = Store(workspace.database).get(launch.submission).report
        submission = make_submission(report.file or "kernel.cu", report.source.encode(), report.language)
        return workspace.load(report.problem), submission, report.seed if launch.seed is None else launch.seed
    name = launch.problem
    if not name:
        from grader.findings.problem_name import problem_of

        name = problem_of(Path(launch.file), workspace)
    return workspace.load(name), read_submission(Path(launch.file), language), None


def _case(report: Report, submission: Submission) -> CaseResult:
    """The case to look at: the smallest that fails, or the smallest of all where none does."""
    if report.smallest is not None and not report.own_sizes:
        return report.smallest
    failing = [case for case in report.cases if case.verdict is not Verdict.ACCEPTED]
    if report.verdict in NOT_RUN or not report.cases:
        lines = [f"line {one.line}: {one.message}" for one in report.diagnostics if one.severity == "error"]
        said = "; ".join(lines[:2]) or report.headline
        raise UsageError(f"{submission.path_name} can't be debugged: {said}", "repair that first, then debug again")
    return min(failing or list(report.cases), key=_cost)


def _cost(case: CaseResult) -> int:
    product = 1
    for size in case.sizes.values():
        product *= max(size, 1)
    return product
