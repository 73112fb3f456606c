"""The conductor of a comparison: files of one problem graded one by one, and those that are right timed in turns.

It decides who takes part and what a failure on the way means; it neither times nor shows anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import JudgeError, UsageError
from grader.core.report import Report
from grader.core.verdict import Verdict
from grader.judge import conductor
from grader.judge.conductor import Options
from grader.judge.duel import ContenderFailed, Timed
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu
from grader.measure.duel import Contest
from grader.measure.samples import BASELINE
from grader.measure.standings import Ranking, Standings, over_all, standings
from grader.plan.runner import RunnerStopped
from grader.problem import Problem
from grader.problem.cases import format_numbers
from grader.sandbox import Sandbox

Progress = Callable[[str], None]
Grade = Callable[[Problem, Submission, Options, Progress], Report]
Sizes = Mapping[str, int]


class Ask(Protocol):
    """Has the programs timed in turns at one size: `Contests.hold`."""

    def __call__(self, sizes: Sizes, programs: Mapping[str, Program], *, library: bool) -> Timed:
        """Returns the times and checks of all programs at these sizes; with `library`, of the library's call too."""


@dataclass(frozen=True)
class Entry:
    """One file: its label, how it was graded, and what went wrong with it when it was timed."""

    label: str
    report: Report
    trouble: str = ""

    @property
    def right(self) -> bool:
        return self.report.verdict is Verdict.ACCEPTED and not self.trouble


@dataclass(frozen=True)
class SizeResult:
    """One size: the standings of those who were timed, or why there are none."""

    sizes: Sizes
    standings: Standings | None
    throttled: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class Comparison:
    """All that came out. `timed` are the labels of those in the standings, in their order; `overall` ranks them over
    all sizes, None where there are fewer than two sizes or contenders.
    """

    problem: str
    title: str
    device: str
    entries: tuple[Entry, ...]
    timed: tuple[str, ...]
    results: tuple[SizeResult, ...]
    overall: Ranking | None
    seconds: float


def compare(
    problem: Problem,
    files: Sequence[tuple[str, Submission]],
    sizes: Sequence[Sizes],
    gpu: Gpu,
    ask: Ask,
    progress: Progress,
    cache: Path,
    *,
    baseline: bool = False,
    grade: Grade = conductor.grade,
) -> Comparison:
    """Grade these files, each with a label of its own, on this GPU, and time those that are right at these sizes.

    A file alone is timed beside the problem's baseline, where it has one; `baseline` asks for that beside several
    files, too. Raises UsageError for a file that can't be graded and JudgeError where a tool is missing.
    """
    began = time.monotonic()
    options = Options(device=f"gpu:{gpu.index}", cache=cache, timed=False)
    reports = grade_each(problem, files, options, progress, grade)
    right = [i for i, report in enumerate(reports) if report.verdict is Verdict.ACCEPTED]
    lineup = _Lineup({str(i): _compile(problem, files[i][1], gpu, cache) for i in right})
    if baseline or len(right) == 1:
        lineup.add_baseline(problem, gpu, cache)
    labels = {str(i): label for i, (label, _) in enumerate(files)} | {BASELINE: BASELINE}
    contests: list[tuple[Sizes, Contest | str]] = []
    for number, each in enumerate(sizes if right else (), 1):
        progress(f"timing {format_numbers(each)}, {number} of {len(sizes)}")
        contests.append((each, lineup.time(each, ask)))
    return _judged(problem, gpu, contests, lineup, labels, reports, time.monotonic() - began)


@dataclass
class _Lineup:
    """Who still takes part, by name, and why others no longer do."""

    programs: dict[str, Program]
    with_library: bool = False
    troubles: dict[str, str] = field(default_factory=dict)

    def add_baseline(self, problem: Problem, gpu: Gpu, cache: Path) -> None:
        if problem.baseline_file is not None:
            file = problem.folder / "submissions" / problem.baseline_file
            try:
                self.programs[BASELINE] = _compile(problem, read_submission(file), gpu, cache)
            except CompileFailure as failure:
                raise JudgeError(f"the baseline {file} does not compile: {failure}", "kgrade verify tries it") from None
        self.with_library = problem.calls_library

    def time(self, sizes: Sizes, ask: Ask) -> Contest | str:
        """The contest of those who stay to its end, or why there was none."""
        while self.programs.keys() - {BASELINE}:
            try:
                timed = ask(sizes, self.programs, library=self.with_library)
            except ContenderFailed as stop:
                self._drop(stop.name, stop.message, sizes)
                continue
            except RunnerStopped as stop:
                return stop.message
            for name, message in timed.wrong.items():
                self._drop(name, message, sizes)
            return timed.contest
        return "nobody was left to be timed"

    def _drop(self, name: str, message: str, sizes: Sizes) -> None:
        self.troubles[name] = f"{message} (with {format_numbers(sizes)})"
        if name == BASELINE and self.with_library:
            self.with_library = False
        elif self.programs.pop(name, None) is None:
            raise JudgeError(f"the runner blames {name!r}, which takes no part: {message}")


def grade_each(
    problem: Problem,
    files: Sequence[tuple[str, Submission]],
    options: Options,
    progress: Progress,
    grade: Grade,
) -> list[Report]:
    """The report of each file, by its label in the progress; equal files are graded once. Raises UsageError."""
    known: dict[str, Report] = {}
    for label, submission in files:
        if submission.sha256 in known:
            continue

        def told(text: str, label: str = label) -> None:
            progress(f"{label}: {text}")

        try:
            known[submission.sha256] = grade(problem, submission, options, told)
        except UsageError as error:
            raise UsageError(f"{label}: {error.message}", error.hint) from None
    return [known[submission.sha256] for _, submission in files]


def _compile(problem: Problem, submission: Submission, gpu: Gpu, cache: Path) -> Program:
    """The program that was graded: from the cache where it was compiled for that."""
    return language_of(submission).compile(problem, submission, cache, gpu, Sandbox.find())


def _judged(
    problem: Problem,
    gpu: Gpu,
    contests: Sequence[tuple[Sizes, Contest | str]],
    lineup: _Lineup,
    labels: Mapping[str, str],
    reports: Sequence[Report],
    seconds: float,
) -> Comparison:
    """The comparison of those with whom nothing was wrong at any size."""
    held = [contest for _, contest in contests if isinstance(contest, Contest)]
    names = [name for name in held[0].names if all(name in contest.names for contest in held)] if held else []
    names = [name for name in names if name not in lineup.troubles]
    if names == [BASELINE]:
        names = []
    results = [_result(sizes, contest, names) for sizes, contest in contests]
    rankings = [result.standings.ranking for result in results if result.standings is not None]
    return Comparison(
        problem=problem.name,
        title=problem.title,
        device=gpu.name,
        entries=tuple(
            Entry(labels[str(i)], report, lineup.troubles.get(str(i), "")) for i, report in enumerate(reports)
        ),
        timed=tuple(labels[name] for name in names),
        results=tuple(results),
        overall=over_all(rankings) if len(rankings) > 1 and len(names) > 1 else None,
        seconds=seconds,
    )


def _result(sizes: Sizes, contest: Contest | str, names: Sequence[str]) -> SizeResult:
    if isinstance(contest, str):
        return SizeResult(sizes, None, failed=contest)
    if not names:
        return SizeResult(sizes, None, failed="nobody was left who was right")
    return SizeResult(sizes, standings(contest.only(names).rounds), contest.throttled)
