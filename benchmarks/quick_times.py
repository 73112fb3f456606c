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

from grader.compile.compiler import CompileFailure
from grader.core.errors import KgradeError, UsageError
from grader.core.paths import cache_folder
from grader.core.verdict import Verdict
from grader.judge.bench import compare
from grader.judge.deadline import Deadline, DeadlinePassed
from grader.judge.duel import Contests
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu, find_gpus
from grader.measure.duel import MOST_FILES
from grader.measure.statistics import StoppingRule
from grader.problem import Problem, load_problem
from grader.sandbox import Sandbox

RULE = StoppingRule(tolerance=0.01, least=8, every=4, seconds=0.5)
VERIFIED = 2
Times = Mapping[tuple[str, str], float]


def quick_times(
    folders: Sequence[Path], files: Mapping[str, Sequence[Path]], seconds: float
) -> Iterator[tuple[str, Times]]:
    """The seconds of each problem's files by file and size, problem by problem; each may take so many seconds.

    A problem that takes longer has no times, and standard error says so. Raises UsageError without a GPU.
    """
    gpu = next(iter(find_gpus()), None)
    if gpu is None:
        raise UsageError("no NVIDIA GPU was found on this machine", "kgrade doctor says what a GPU needs")
    problems = [load_problem(folder) for folder in folders]
    with ThreadPoolExecutor() as pool:
        for problem in problems:
            for file in files[problem.folder.name]:
                pool.submit(_compile, problem, file, gpu)
        for problem in problems:
            name = problem.folder.name
            try:
                with Deadline(seconds, lambda text: None):
                    found = _times(problem, files[name], gpu)
            except (DeadlinePassed, KgradeError) as error:
                print(f"{name}: no times: {error}", file=sys.stderr, flush=True)
            else:
                yield name, found


def _times(problem: Problem, files: Sequence[Path], gpu: Gpu) -> Times:
    found: dict[tuple[str, str], float] = {}
    for start in range(0, len(files), MOST_FILES):
        some = [(file.name, read_submission(file)) for file in files[start : start + MOST_FILES]]
        contests = Contests(problem, gpu, cache_folder(), rule=RULE, verified=VERIFIED)
        try:
            comparison = compare(
                *(problem, some, problem.benchmarks, gpu, contests.hold, lambda text: None, cache_folder()),
                grade=_right,
            )
        finally:
            contests.close()
        for entry in comparison.entries:
            if entry.trouble:
                print(f"{problem.folder.name}/{entry.label}: {entry.trouble}", file=sys.stderr, flush=True)
        for result in comparison.results:
            size = ",".join(f"{name}={value}" for name, value in result.sizes.items())
            if result.standings is None:
                print(f"{problem.folder.name}, {size}: {result.failed}", file=sys.stderr, flush=True)
                continue
            for label, time in zip(comparison.timed, result.standings.times, strict=True):
                found[label, size] = time.value
    return found


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
