"""Times of worked files in one process, to the percent: a first look at many of them where a GPU is short of time.

`kgrade bench` grades each file first and goes on to 0.3 %. Here files are taken for right, as `kgrade verify` has found
them, a contest ends at 1 % or after half a second, and two outputs of each are checked instead of ten.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from catalogue_table import LIBRARY

from grader.compile.compiler import CompileFailure
from grader.compile.submission import Submission
from grader.core.errors import KgradeError, UsageError
from grader.core.paths import cache_folder
from grader.core.verdict import Verdict
from grader.judge.bench import Sizes, compare
from grader.judge.deadline import Deadline, DeadlinePassed
from grader.judge.duel import Contests
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu, find_gpus
from grader.measure.duel import MOST_FILES
from grader.measure.samples import BASELINE
from grader.measure.statistics import StoppingRule
from grader.problem import Problem, load_problem
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.template import end_templates

RULE = StoppingRule(tolerance=0.01, least=8, every=4, seconds=0.5)
VERIFIED = 2
Times = Mapping[tuple[str, str], float]


def quick_times(
    folders: Sequence[Path],
    files: Mapping[str, Sequence[Path]],
    seconds: float,
    sizes: Sequence[Sizes] = (),
) -> Iterator[tuple[str, Times]]:
    """The seconds of each problem's files by file and size, problem by problem; each may take so many seconds.

    `sizes` are those to time at; the problem's own if there are none. A problem that takes longer has the times of the
    sizes that were done, and standard error says so. Raises UsageError without a GPU.
    """
    gpu = next(iter(find_gpus()), None)
    if gpu is None:
        raise UsageError("no NVIDIA GPU was found on this machine", "kgrade doctor says what a GPU needs")
    problems = [load_problem(folder) for folder in folders]
    # Each size of a file in Python is recorded in a process of its own: a copy of one that has its packages.
    use_templates(Sandbox.find())
    with ThreadPoolExecutor() as pool:
        for problem in problems:
            for file in files[problem.folder.name]:
                pool.submit(_compile, problem, file, gpu)
        try:
            for problem in problems:
                name = problem.folder.name
                found: dict[tuple[str, str], float] = {}
                try:
                    with Deadline(seconds, lambda text: None):
                        for size, times in _times(problem, files[name], gpu, sizes or problem.benchmarks):
                            found |= {(file, size): time for file, time in times.items()}
                except (DeadlinePassed, KgradeError) as error:
                    print(f"{name}: not all was timed: {error}", file=sys.stderr, flush=True)
                yield name, found
        finally:
            end_templates()


def _times(
    problem: Problem, files: Sequence[Path], gpu: Gpu, sizes: Sequence[Sizes]
) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The seconds of the files by name, size by size."""
    for start in range(0, len(files), MOST_FILES):
        some = [(file.name, read_submission(file)) for file in files[start : start + MOST_FILES]]
        contests = Contests(problem, gpu, cache_folder(), rule=RULE, verified=VERIFIED)
        try:
            for case in sizes:
                yield _name_of(case), _times_at(problem, some, case, gpu, contests)
        finally:
            contests.close()


def _times_at(
    problem: Problem, files: Sequence[tuple[str, Submission]], case: Sizes, gpu: Gpu, contests: Contests
) -> Mapping[str, float]:
    found = compare(
        *(problem, files, [case], gpu, contests.hold, lambda text: None, cache_folder()),
        baseline=problem.calls_library,
        grade=_right,
    )
    for entry in found.entries:
        if entry.trouble:
            print(f"{problem.folder.name}/{entry.label}: {entry.trouble}", file=sys.stderr, flush=True)
    (result,) = found.results
    if result.standings is None:
        print(f"{problem.folder.name}, {_name_of(case)}: {result.failed}", file=sys.stderr, flush=True)
        return {}
    return {
        LIBRARY if label == BASELINE else label: time.value
        for label, time in zip(found.timed, result.standings.times, strict=True)
        if label != BASELINE or problem.calls_library
    }


def _name_of(case: Sizes) -> str:
    return ",".join(f"{name}={value}" for name, value in case.items())


def _right(*_arguments: Any) -> Any:
    """A report as `compare` reads it, of a file that nobody grades here."""
    return SimpleNamespace(verdict=Verdict.ACCEPTED, headline="", language="")


def _compile(problem: Problem, file: Path, gpu: Gpu) -> None:
    """Has the file's program in the cache when its turn comes; what fails is told then."""
    try:
        submission = read_submission(file)
        language_of(submission).compile(problem, submission, cache_folder(), gpu, Sandbox.find())
    except (CompileFailure, KgradeError) as error:
        print(f"{file}: {error}", file=sys.stderr, flush=True)
