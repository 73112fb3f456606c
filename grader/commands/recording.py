"""What a debugger looks at: grades a file or an earlier submission, and records the block in which it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.engines import Engines
from grader.commands.options import Asked, parse_sizes
from grader.core.errors import UsageError
from grader.core.limits import Effort, Search
from grader.core.verdict import LanguageName, Verdict

if TYPE_CHECKING:
    from grader.compile.submission import Submission
    from grader.core.report import CaseResult, Report
    from grader.debug.launch import Launch
    from grader.problem import Problem
    from grader.replay.trace import Trace
    from grader.store.workspace import Workspace

NOT_RUN = (Verdict.COMPILE_ERROR,)
NO_SEARCH = Search(trials=Effort(0, 0.0), shrinking=Effort(0, 0.0))


class Recordings:
    """Records launches one after the other; a text that was graded last is not graded again."""

    def __init__(self, engines: Engines, language: LanguageName | None) -> None:
        self._engines, self._language = engines, language
        self._graded: tuple[Launch, str, CaseResult] | None = None

    def record(self, workspace: Workspace, launch: Launch, say: Callable[[str], None]) -> Trace:
        """Records one block of a launch: where it fails, at the sizes asked for or else at the smallest that fail.

        Raises UsageError for what can't be found, does not compile, or leaves nothing to look at.
        """
        problem, submission, seed = _found(workspace, launch, self._language)
        anywhere = replace(launch, block=None)
        if self._graded is None or self._graded[:2] != (anywhere, submission.text):
            result = self._grade(problem, submission, launch, launch.seed if seed is None else seed, say)
            self._graded = anywhere, submission.text, result
        result = self._graded[2]
        which = "the block" if launch.block is None else "block " + ",".join(map(str, launch.block))
        say(f"recording what {which} does")
        trace = self._engines.record(problem, submission, result, launch.block)
        if trace is None:
            raise UsageError(
                f"{submission.path_name}: nothing could be recorded: no kernel ran on the emulator, or it does too "
                "much",
                f"try smaller sizes with --case, or see what kgrade test {problem.name} FILE --device emulator says",
            )
        return trace

    def _grade(
        self,
        problem: Problem,
        submission: Submission,
        launch: Launch,
        seed: int | None,
        say: Callable[[str], None],
    ) -> CaseResult:
        from grader.commands.grading import options_of

        sizes = (parse_sizes(launch.case),) if launch.case else ()
        asked = Asked(language=self._language, seed=seed, device="emulator")
        say(f"grading {submission.path_name} for {problem.name} with --seed {asked.seed}, to find where it fails")
        options = options_of(asked, "", sizes)
        # Sizes that were asked for are not shrunk.
        report = self._engines.grade(problem, submission, replace(options, search=NO_SEARCH) if sizes else options)
        result = _case(report, submission)
        if result.verdict is Verdict.ACCEPTED:
            say("it is right in every case; this is one of them")
        else:
            say(report.headline)
        return result


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
