"""Verifying problems: their worked submissions must get the declared verdicts, and trivial kernels none.

A worked submission is `problems/<name>/submissions/<verdict>/*.cu`, or `*.py` in a language in Python; its opening
comment declares what is expected, and a line that ends in `// <- here` or `# <- here` must be the one that the report
names. Nothing is recorded.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.errors import KgradeError, ProblemError
from grader.core.limits import Effort, Search
from grader.core.verdict import FaultClass, Form, LanguageName, Verdict, WrongKind
from grader.languages.registry import LANGUAGES
from grader.problem.exercises import exercise_names, file_of

if TYPE_CHECKING:
    from grader.core.report import Report
    from grader.judge.conductor import Options
    from grader.problem import Problem

CASES = 12
"""Sizes that a worked submission is graded at."""
SEED = 20260101
"""Worked submissions are graded on the same cases everywhere, so that a mismatch can be repeated. Further seeds count
up from this one."""
NO_PATTERN = Search(trials=Effort(runs=0, seconds=0.0))
"""No file declares what failing sizes have in common, which takes more runs than the verdict."""
SUFFIXES = (".cu", ".py")
"""The suffixes of files that are worked submissions."""

_EXPECT = re.compile(r"^\s*(?://|\*|/\*|#)\s*expect:\s*(?P<verdict>\w+)(?:[ \t]+(?P<detail>\w+))?", re.M)
_HERE = re.compile(r"(?://|#)\s*<-\s*here\s*$")


@dataclass(frozen=True)
class Expectation:
    """What a worked submission declares. `detail` is a fault's or a wrong answer's kind, or empty."""

    verdict: Verdict
    detail: str = ""
    line: int | None = None

    def __str__(self) -> str:
        words = f"{self.verdict} {self.detail}".strip()
        return words if self.line is None else f"{words}, line {self.line}"


@dataclass(frozen=True)
class Outcome:
    """What came of one work. `mismatch` says what differs from the declaration, or is empty."""

    name: str
    expected: str
    got: str
    mismatch: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.mismatch

    @property
    def problem(self) -> str:
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class WorkedSubmission:
    """A file to grade, and what it declares."""

    problem: str
    folder: Path
    file: Path
    expected: Expectation

    @property
    def name(self) -> str:
        return f"{self.problem}/{self.file.parent.name}/{self.file.name}"

    def verify(self, seed: int = SEED, cases: int = CASES) -> Outcome:
        from grader.judge.conductor import grade
        from grader.languages.registry import read_submission

        expected = str(self.expected)
        try:
            submission = read_submission(self.file)
            report = grade(_problem(self.folder), submission, _options(self.expected, cases, seed))
        except KgradeError as error:
            return Outcome(self.name, expected, "not graded", error.message)
        got = expectation_met_by(report)
        mismatch = compare(self.expected, got)
        if mismatch:
            mismatch += f", with seed {seed} ({report.headline})"
        return Outcome(self.name, expected, str(got), mismatch, report.seconds)


@dataclass(frozen=True)
class TrivialKernels:
    """The kernels that compute nothing; a problem that accepts one checks too little."""

    problem: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.problem}/trivial kernels"

    def verify(self, seed: int = SEED, cases: int = CASES) -> Outcome:
        from grader.check.trivial import accepted_trivial_kernels

        expected = "none accepted"
        try:
            accepted = accepted_trivial_kernels(_problem(self.folder), seed)
        except KgradeError as error:
            return Outcome(self.name, expected, "not tried", error.message)
        if not accepted:
            return Outcome(self.name, expected, expected)
        return Outcome(self.name, expected, "accepted", f"accepts {', '.join(accepted)}: the checks are too weak")


@dataclass(frozen=True)
class WorkedExercise:
    """An exercise: its faulty text gets the declared verdict, and with its author's changes it is accepted."""

    problem: str
    folder: Path
    name_in_folder: str
    mended: bool

    @property
    def name(self) -> str:
        return f"{self.problem}/exercises/{self.name_in_folder}{', mended' if self.mended else ''}"

    @property
    def file(self) -> Path:
        return file_of(self.folder, self.name_in_folder)

    def verify(self, seed: int = SEED, cases: int = CASES) -> Outcome:
        from grader.compile.submission import Submission
        from grader.judge.conductor import grade
        from grader.languages.registry import make_submission
        from grader.problem.exercises import read_exercise

        try:
            exercise = read_exercise(self.folder, self.name_in_folder)
            expected = Expectation(Verdict.ACCEPTED) if self.mended else _declared(exercise.expect, exercise.file)
            text = exercise.mended if self.mended else exercise.text
            submission: Submission = make_submission(exercise.file.name, text.encode())
            report = grade(_problem(self.folder), submission, _options(expected, cases, seed))
        except KgradeError as error:
            return Outcome(self.name, "an exercise", "not graded", error.message)
        got = expectation_met_by(report)
        mismatch = compare(expected, got)
        if mismatch:
            mismatch += f", with seed {seed} ({report.headline})"
        elif self.mended and (report.mend is None or report.mend.exercise != self.name_in_folder):
            mismatch = f"it is taken for a mend of {report.mend.exercise if report.mend else 'no exercise'}"
        return Outcome(self.name, str(expected), str(got), mismatch, report.seconds)


Work = WorkedSubmission | WorkedExercise | TrivialKernels


def works_of(name: str, folder: Path) -> list[Work]:
    """All there is to verify of one problem: its worked submissions by path, and the trivial kernels."""
    files = sorted(file for file in (folder / "submissions").glob("*/*") if file.suffix in SUFFIXES)
    works: list[Work] = [WorkedSubmission(name, folder, file, read_expectation(file)) for file in files]
    names = exercise_names(folder)
    exercises = [WorkedExercise(name, folder, each, mended) for each in names for mended in (False, True)]
    return [*works, *exercises, TrivialKernels(name, folder)]


def missing_here() -> dict[tuple[LanguageName, Form], str]:
    """What each language lacks on this machine, and what to type; empty where nothing is missing."""
    return {(language.name, language.form): language.missing() for language in LANGUAGES}


def missing_for(work: Work, missing: Mapping[tuple[LanguageName, Form], str]) -> str:
    """What the work's language lacks here, of `missing_here`; empty where nothing is missing."""
    if isinstance(work, TrivialKernels) or not any(missing.values()):
        return ""
    # The file of an author, of hundreds: it needs no process of its own.
    text = work.file.read_text(encoding="utf-8")
    if work.file.suffix == ".py":
        from grader.compile.python_text import language_of

        return missing[LanguageName(language_of(text)), Form.SOLVE]
    from grader.compile.parse import parse

    return missing[LanguageName.CUDA, parse(text).form]


def verify(works: Sequence[Work], *, processes: int | None = None, seeds: int = 1) -> Iterator[Outcome]:
    """Do each work in one of several processes, with so many seeds, and yield the outcomes as they come.

    Leaving the iterator early, as Ctrl-C does, ends the processes.
    """
    workers = min(processes or os.cpu_count() or 1, max(1, len(works)))
    # Spawned, since a forked copy of a process that has threads may deadlock. Ctrl-C reaches the processes
    # too and ends them without a word; it is for this one to speak.
    pool = ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        initializer=start_process,
    )
    finished = False
    try:
        for future in as_completed([pool.submit(_verify, work, seeds) for work in works]):
            yield future.result()
        finished = True
    finally:
        if not finished:
            for process in active_children():
                process.terminate()
        pool.shutdown(cancel_futures=True)


def start_process() -> None:
    """What a process that verifies does first: template processes stand ready for its gradings."""
    from grader.core.memory import keep_freed_memory
    from grader.run.templates import use_templates
    from grader.sandbox import Sandbox

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    keep_freed_memory()
    use_templates(Sandbox.find())


def _verify(work: Work, seeds: int) -> Outcome:
    """The first outcome that differs from the declaration; else the last, with the seconds of all."""
    seconds = 0.0
    for seed in range(SEED, SEED + seeds):
        outcome = work.verify(seed)
        seconds += outcome.seconds
        if not outcome.passed:
            break
    return replace(outcome, seconds=seconds)


def _options(expected: Expectation, cases: int, seed: int) -> Options:
    """How a work is graded. Where a local variable without a value can change the verdict it is looked for, as for a
    student: behind what is right, and behind a wrong answer.
    """
    from grader.judge.conductor import Options

    sought = expected.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
    sought = sought or expected.detail == FaultClass.UNINITIALIZED_READ
    return Options(cases, seed, user="verify", device="emulator", search=NO_PATTERN, local_values=sought)


def read_expectation(file: Path) -> Expectation:
    """What `file` declares; ProblemError when its folder, its comment and the vocabulary don't agree."""
    text = file.read_text(encoding="utf-8")
    folder = file.parent.name
    if folder not in set(Verdict):
        raise ProblemError(f"{file.parent}: '{folder}' is not a verdict", f"use one of: {', '.join(map(str, Verdict))}")
    declared = _EXPECT.search(text)
    sign = "#" if file.suffix == ".py" else "//"
    if declared is None:
        raise ProblemError(
            f"{file}: it has no line '{sign} expect: {folder}' in its opening comment",
            "add the line, with the fault or the kind of wrong answer after the verdict",
        )
    if declared["verdict"] != folder:
        raise ProblemError(f"{file}: it expects '{declared['verdict']}' but stands in the folder '{folder}'")
    expected = _declared(declared[0].partition(":")[2], file)
    marked = [number for number, line in enumerate(text.splitlines(), 1) if _HERE.search(line)]
    if len(marked) > 1:
        raise ProblemError(f"{file}: lines {marked} all end in '{sign} <- here'; one line can be at fault")
    return replace(expected, line=marked[0] if marked else None)


def _declared(words: str, file: Path) -> Expectation:
    """What a verdict and, if there is one, a fault or a kind of wrong answer declare. Raises ProblemError."""
    verdict, _, detail = words.strip().partition(" ")
    if verdict not in set(Verdict):
        raise ProblemError(f"{file}: '{verdict}' is not a verdict", f"use one of: {', '.join(map(str, Verdict))}")
    if (detail := detail.strip()) and detail not in {*FaultClass, *WrongKind}:
        raise ProblemError(
            f"{file}: '{detail}' is neither a fault nor a kind of wrong answer",
            f"use one of: {', '.join([*map(str, FaultClass), *map(str, WrongKind)])}",
        )
    return Expectation(Verdict(verdict), detail)


def expectation_met_by(report: Report) -> Expectation:
    """The declaration that `report` would fulfil."""
    word = report.fault.fault if report.fault else report.kind
    return Expectation(report.verdict, str(word or ""), report.line)


def compare(expected: Expectation, got: Expectation) -> str:
    """How `got` differs from what was declared, in words; empty when it doesn't."""
    if got.verdict is not expected.verdict:
        return f"{expected.verdict} was declared"
    if expected.detail and got.detail != expected.detail:
        return f"{expected.detail} was declared"
    if expected.line is not None and got.line != expected.line:
        return f"line {expected.line} is marked, line {got.line} was named"
    return ""


@lru_cache(maxsize=8)
def _problem(folder: Path) -> Problem:
    from grader.problem import load_problem

    return load_problem(folder)
