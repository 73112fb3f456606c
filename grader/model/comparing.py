"""Files of one problem compared by model time: graded on the emulator, and those that are right put side by side.

The counterpart of `judge.bench`, which times on a GPU.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.compile.submission import Submission
from grader.core.report import EMULATOR, Modelled, ModelSize, Report
from grader.core.verdict import Verdict
from grader.judge.bench import Grade, Progress, Sizes, grade_each
from grader.judge.conductor import Options
from grader.languages.registry import read_submission
from grader.measure.samples import BASELINE
from grader.measure.score import geometric_mean
from grader.model.gpus import ModelGpu
from grader.problem import Problem


class Timer(Protocol):
    """Computes the model times of a file at these sizes: `scoring.modelled`."""

    def __call__(
        self,
        problem: Problem,
        submission: Submission,
        sizes: Sequence[Sizes],
        gpu: ModelGpu,
        progress: Progress,
        *,
        seconds: float,
    ) -> Modelled:
        """Returns the times; sizes after one without a time are left out."""


@dataclass(frozen=True)
class Contender:
    """A file: its label, how it was graded, and its model times; None unless it was accepted.

    `report` is None of the problem's baseline, which is not graded.
    """

    label: str
    report: Report | None
    model: Modelled | None

    @property
    def right(self) -> bool:
        return self.report is None or self.report.verdict is Verdict.ACCEPTED

    def at(self, sizes: Sizes) -> ModelSize | None:
        """What the model says of it at these sizes; None if an earlier size had no time."""
        found = self.model.sizes if self.model else ()
        return next((size for size in found if size.sizes == sizes), None)


@dataclass(frozen=True)
class ModelComparison:
    """All that came out, in the order of the files. `overall` are the geometric means of the times' ratios to the
    fastest file, by label, of files with a time at every size; empty where there are fewer than two sizes or files.
    """

    problem: str
    title: str
    gpu: ModelGpu
    contenders: tuple[Contender, ...]
    sizes: tuple[Sizes, ...]
    overall: Mapping[str, float]
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether some file is right, and each that is has a time at every size."""
        right = [each for each in self.contenders if each.right]
        return bool(right) and all(each.model is not None and not _missing(each, self.sizes) for each in right)


def compare(
    problem: Problem,
    files: Sequence[tuple[str, Submission]],
    sizes: Sequence[Sizes],
    gpu: ModelGpu,
    timer: Timer,
    progress: Progress,
    cache: Path,
    *,
    grade: Grade,
    seconds: float,
    baseline: bool = False,
) -> ModelComparison:
    """Grades these files on the emulator and computes the model times of those that are right, `seconds` for each.

    With `baseline`, and with a file alone, those of the problem's baseline stand beside them, where it is a file.
    Raises UsageError for a file that can't be graded.
    """
    began = time.monotonic()
    options = Options(device=EMULATOR, cache=cache, timed=False)
    found: list[Contender] = []
    known: dict[str, Modelled] = {}
    reports = grade_each(problem, files, options, progress, grade)
    for (label, submission), report in zip(files, reports, strict=True):
        if report.verdict is Verdict.ACCEPTED and submission.sha256 not in known:
            say = _beginning(label, progress)
            known[submission.sha256] = timer(problem, submission, sizes, gpu, say, seconds=seconds)
        found.append(Contender(label, report, known.get(submission.sha256)))
    if problem.baseline_file is not None and (baseline or sum(each.right for each in found) == 1):
        given = read_submission(problem.folder / "submissions" / problem.baseline_file)
        model = timer(problem, given, sizes, gpu, _beginning(BASELINE, progress), seconds=seconds)
        found.append(Contender(BASELINE, None, model))
    given_sizes = tuple(dict(each) for each in sizes)
    return ModelComparison(
        problem=problem.name,
        title=problem.title,
        gpu=gpu,
        contenders=tuple(found),
        sizes=given_sizes,
        overall=_overall(found, given_sizes),
        seconds=time.monotonic() - began,
    )


def _beginning(label: str, progress: Progress) -> Progress:
    return lambda text: progress(f"{label}: {text}")


def _missing(contender: Contender, sizes: Sequence[Sizes]) -> bool:
    return any((size := contender.at(each)) is None or size.time is None for each in sizes)


def _overall(contenders: Sequence[Contender], sizes: Sequence[Sizes]) -> Mapping[str, float]:
    timed = {
        each.label: [size.time.value for size in each.model.sizes if size.time is not None]
        for each in contenders
        if each.model is not None and not _missing(each, sizes)
    }
    if len(sizes) < 2 or len(timed) < 2:
        return {}
    means = {label: geometric_mean(seconds) for label, seconds in timed.items()}
    fastest = min(means.values())
    return {label: mean / fastest for label, mean in means.items()}
