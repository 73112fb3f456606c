"""A worker's judge: runs `grader.judge.conductor.grade` on a job, and a self-test on a worked submission.

Fetching work is left to the worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from grader import __version__
from grader.boards.code import colours_of
from grader.compile.submission import Submission
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
from grader.run.devices import choose_device
from grader.store.workspace import Workspace

HIDDEN_STEP = "checking the hidden cases"
HIDDEN_CHECK = "the contest's hidden cases"
HIDDEN_SECONDS = 5.0
"""Verdicts on hidden cases are delayed to a multiple of this many seconds."""
RUN_CASES = 6
"""Sizes that a run tries, if its sender chose none."""
LEAST_SECONDS = 10.0
"""Minimum time limit for hidden cases."""


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
    ) -> None:
        self._grade, self._solve = grade, solve or find_language(LanguageName.CUDA, Form.SOLVE)
        self._workspace, self._device, self._cache = workspace, device, cache
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

        These can only change the verdict, to the same one whatever failed.
        """
        # Read anew: a problem may have come since this process started.
        problem, began = Workspace(self._workspace.root).load(job.problem), time.monotonic()
        options = Options(
            device=self._device,
            user=job.account,
            cache=self._cache,
            require_sandbox=self._require_sandbox,
            deadline=job.grading_seconds,
            # Of cases that are shown in full.
            replay=True,
        )
        if job.run_id is not None:
            tried = replace(options, cases=RUN_CASES, sizes=(job.sizes,) if job.sizes else (), timed=False)
            return replace(outcome_of(self._grade(problem, submission, tried, progress)), is_open=True)
        seen = self._grade(problem, submission, options, progress)
        if job.hidden_seed is None or seen.verdict is not Verdict.ACCEPTED:
            return replace(outcome_of(seen), is_open=True)
        progress(HIDDEN_STEP)
        left = max(LEAST_SECONDS, job.grading_seconds - (time.monotonic() - began))
        # Fresh modules: nothing that a case leaves in device variables carries over to the next or to timing.
        hidden = replace(
            options,
            seed=job.hidden_seed,
            timed=False,
            fresh_modules=True,
            deadline=left,
            replay=False,
        )
        began = time.monotonic()
        found = self._grade(problem, submission, hidden, lambda text: progress(HIDDEN_STEP))
        # The time of the verdict reveals the duration of the hidden cases only in steps of `hidden_seconds`.
        time.sleep(-(time.monotonic() - began) % self.hidden_seconds)
        if found.verdict is Verdict.ACCEPTED:
            return replace(outcome_of(replace(seen, checks=(*seen.checks, HIDDEN_CHECK))), is_open=True)
        outcome = outcome_of(found)
        return outcome if found.verdict is Verdict.INTERNAL_ERROR else replace(outcome, verdict=FAILS_HIDDEN.value)

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
