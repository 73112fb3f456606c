"""A worker's judge: runs `grader.judge.conductor.grade` on a job, and a self-test on a worked submission.

Fetching work is left to the worker.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import __version__
from grader.boards.code import colours_of
from grader.compile.submission import Submission
from grader.contest.group_cases import draw_group
from grader.contest.groups import group_from_data, passed_to_text, seed_of
from grader.contest.hidden import FAILS_HIDDEN
from grader.contest.jobs import EXPLAIN_SECONDS, Answer, Job, Outcome, Question, outcome_of
from grader.core.errors import JudgeError, KgradeError, SourceError, UsageError
from grader.core.paths import cache_folder
from grader.core.report import Report
from grader.core.verdict import Form, LanguageName, Verdict
from grader.judge.conductor import Options, grade
from grader.judge.verify import SEED
from grader.languages.language import Language
from grader.languages.registry import find_language, make_submission, read_submission
from grader.problem import Problem
from grader.run.devices import choose_device
from grader.store.workspace import Workspace

if TYPE_CHECKING:
    from grader.model.model import ModelTime
    from grader.problem import Problem

HIDDEN_STEP = "checking the hidden cases"
HIDDEN_CHECK = "the contest's hidden cases"
HIDDEN_SECONDS = 5.0
"""Verdicts on hidden cases are delayed to this many seconds, or twice, four times … as many: see `rounded_up`."""
RUN_CASES = 6
"""Sizes that a run tries, if its sender chose none."""
LEAST_SECONDS = 10.0
"""Minimum time limit for hidden cases."""
_OF_A_FOLDER = ("folder", "definition", "statement", "starter", "editorial", "baseline_file")
"""What a problem has from its folder: with the same of all these it is the same problem."""


class MachineJudge:
    """Judges with the problems of `workspace` on `device` (as in `--device`), by `grade`."""

    hidden_seconds = HIDDEN_SECONDS

    def __init__(
        self,
        workspace: Workspace,
        device: str,
        cache: Path | None = None,
        *,
        require_sandbox: bool = True,
        grade: Callable[..., Report] = grade,
        solve: Language | None = None,
        model_timer: Callable[..., ModelTime] | None = None,
    ) -> None:
        self._model_timer = model_timer
        self._grade, self._solve = grade, solve or find_language(LanguageName.CUDA, Form.SOLVE)
        self._workspace, self._device, self._cache = workspace, device, cache
        self._problems: dict[str, Problem] = {}
        self._require_sandbox = require_sandbox
        self.gpu_model = choose_device(device).name

    def __call__(self, job: Job, progress: Callable[[str], None]) -> Outcome:
        """Judges a job. Raises a KgradeError if this machine can't: a tool or the problem is missing."""
        try:
            submission = make_submission(job.file, job.text.encode())
        except SourceError as error:
            return outcome_of(_unreadable(job, self.gpu_model, error))
        outcome = self._graded(job, submission, progress)
        # A failure to colour the source must not affect the verdict; the text is then shown plain.
        with suppress(JudgeError):
            return replace(outcome, colours=colours_of(submission.text, submission.language))
        return outcome

    def _graded(self, job: Job, submission: Submission, progress: Callable[[str], None]) -> Outcome:
        """Grades with public cases first, reported in full; if accepted, with the contest's hidden cases.

        These can only change the verdict, to the same one whatever failed. Of each group of cases it is said whether it
        was right.
        """
        problem, began = self._load(job.problem), time.monotonic()
        options = Options(
            device=self._device,
            user=job.account,
            cache=self._cache,
            require_sandbox=self._require_sandbox,
            deadline=job.grading_seconds,
            # Of cases that are shown in full.
            replay=True,
        )

        def seconds_left() -> float:
            return max(LEAST_SECONDS, job.grading_seconds - (time.monotonic() - began))

        if job.run_id is not None:
            tried = replace(options, cases=RUN_CASES, sizes=(job.sizes,) if job.sizes else (), timed=False)
            return replace(outcome_of(self._grade(problem, submission, tried, progress)), is_open=True)
        seen = self._grade(problem, submission, options, progress)

        def modelled(report: Report) -> Outcome:
            """The outcome of a report that is accepted, with its model times where the contest asks for them."""
            if job.model_time is not None and report.ranks_by_model:
                # Its end is before that of the grading as a whole, at which the process is killed.
                left = max(1.0, job.grading_seconds - (time.monotonic() - began))
                report = self._modelled(job, report, problem, submission, left, progress)
            return replace(outcome_of(report, model_scores=job.model_scores), is_open=True)

        accepted = seen.verdict is Verdict.ACCEPTED
        # A kernel that fails in a visible case may have some groups right; one that does not compile has none.
        groups = () if seen.verdict in (Verdict.COMPILE_ERROR, Verdict.INTERNAL_ERROR) else job.groups
        if job.hidden_seed is None or not (accepted or groups):
            return replace(modelled(seen), groups=passed_to_text(()) if job.groups else None)
        progress(HIDDEN_STEP)

        def checked(**changes: Any) -> Report:
            # Fresh modules: nothing that a case leaves in device variables carries over to the next or to timing.
            hidden = replace(options, timed=False, fresh_modules=True, replay=False, deadline=seconds_left(), **changes)
            return self._grade(problem, submission, hidden, lambda text: progress(HIDDEN_STEP))

        hidden_began, left = time.monotonic(), seconds_left()
        found = [checked(seed=job.hidden_seed)] if accepted else []
        passed = []
        for group in map(group_from_data, groups):
            sizes, families = zip(*draw_group(group, problem, job.hidden_seed), strict=True)
            found.append(checked(seed=seed_of(group, job.hidden_seed), sizes=sizes, families=families))
            if found[-1].verdict is Verdict.ACCEPTED:
                passed.append(group.name)
        # A kernel could be right and take as long as a hidden size says.
        spent = time.monotonic() - hidden_began
        time.sleep(max(0.0, rounded_up(spent, self.hidden_seconds, left) - spent))
        kept = passed_to_text(passed) if job.groups else None
        if failure := next((each for each in found if each.verdict is Verdict.INTERNAL_ERROR), None):
            return outcome_of(failure)
        if not accepted:
            return replace(outcome_of(seen), is_open=True, groups=kept)
        wrong = next((each for each in found if each.verdict is not Verdict.ACCEPTED), None)
        if wrong is None:
            told = replace(seen, checks=(*seen.checks, HIDDEN_CHECK))
            return replace(modelled(told), groups=kept)
        return replace(outcome_of(wrong), verdict=FAILS_HIDDEN.value, groups=kept)

    def _modelled(
        self,
        job: Job,
        report: Report,
        problem: Problem,
        submission: Submission,
        seconds: float,
        progress: Callable[[str], None],
    ) -> Report:
        from grader.model.scoring import SEED, with_model_time

        assert job.model_time is not None
        return with_model_time(
            *(report, problem, submission, job.model_time, self._cache or cache_folder(), progress),
            seconds=seconds,
            require_sandbox=self._require_sandbox,
            proved=True,
            seed=SEED if job.hidden_seed is None else job.hidden_seed,
            timer=self._model_timer,
        )

    def _load(self, name: str) -> Problem:
        """Reads a problem anew: it may have come or changed since this process started. One that is as it was is the
        same object, whose hidden cases the judge knows already.
        """
        read, known = Workspace(self._workspace.root).load(name), self._problems.get(name)
        if known is None or not read.definition or any(getattr(read, of) != getattr(known, of) for of in _OF_A_FOLDER):
            known = self._problems[name] = read
        return known

    def explain(self, question: Question, progress: Callable[[str], None]) -> Answer:
        """Explains a source, on the emulator whatever the device is."""
        from grader.contest.explaining import answer_of

        workspace = Workspace(self._workspace.root)
        sandboxed = self._require_sandbox
        return answer_of(
            workspace, question, self._cache, progress, require_sandbox=sandboxed, seconds=EXPLAIN_SECONDS / 2
        )

    def self_test(self, progress: Callable[[str], None] = lambda text: None) -> str:
        """Grades a worked submission, which must be accepted; returns what is wrong with this machine, or "".

        If nothing is, it builds the recorder, so that the first solve() needs not wait for that.
        """
        try:
            name, file = self._worked()
            problem, submission = self._workspace.load(name), read_submission(file)
            options = Options(cases=3, seed=SEED, device=self._device, cache=self._cache, timed=False)
            report = self._grade(problem, submission, options)
            if report.verdict is not Verdict.ACCEPTED:
                # With empty caches on a busy machine it may come too late; what it built is there the second time.
                report = self._grade(problem, submission, options)
        except KgradeError as error:
            return f"{error.message} ({error.hint})" if error.hint else error.message
        if report.verdict is Verdict.ACCEPTED:
            self._prepare(progress)
            return ""
        return f"{name}/{file.name} must be accepted and was {report.verdict}: {report.headline}"

    def _prepare(self, progress: Callable[[str], None]) -> None:
        try:
            self._solve.prepare(self._cache or cache_folder(), progress)
        except KgradeError as error:
            # Such a machine still judges kernels, and says at each solve() what is missing.
            progress(f"a file with its own solve() can't be judged here: {error.message}")

    def _worked(self) -> tuple[str, Path]:
        """The first worked submission in kernel form, which needs neither a host compiler nor a sandbox."""
        for name, folder in self._workspace.problems.items():
            for file in sorted((folder / "submissions" / "accepted").glob("*.cu")):
                if read_submission(file).form is Form.KERNEL:
                    return name, file
        raise UsageError("no problem here has a worked submission to test this machine with", "type: kgrade verify")


def rounded_up(seconds: float, step: float, most: float) -> float:
    """The duration that is told in place of `seconds`: `step` times a power of two, at last the steps that hold `most`.

    Few durations tell little: 7 of them up to 300 s in steps of 5 s.
    """
    whole = step * max(1, math.ceil(seconds / step))
    longest = step * math.ceil(most / step)
    told = step
    while told < whole:
        told *= 2
    return max(whole, min(told, longest))


def _unreadable(job: Job, device: str, error: SourceError) -> Report:
    """The report for a text that can't be read as source, which is not compiled."""
    blank = Submission(job.file, job.text, "", Form.KERNEL)
    return Report(
        problem=job.problem,
        title=job.problem,
        form=blank.form,
        language=blank.language,
        device=device,
        user=job.account,
        file=job.file,
        source=job.text,
        source_hash=blank.sha256,
        submitted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        seed=0,
        verdict=Verdict.COMPILE_ERROR,
        headline=error.message,
        explanation=(error.hint,) if error.hint else (),
        version=__version__,
    )
