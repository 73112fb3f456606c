"""How a worker judges: `grader.judge.grade` for a job, and the self-test that grades a worked submission.

It finds out what a machine can do; it asks nobody for work.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from grader import __version__
from grader.contest.jobs import Job, Outcome, outcome_of
from grader.errors import KgradeError, SourceError, UsageError
from grader.judge import Options, grade
from grader.report import Report
from grader.run.choose import choose_gpu, device_name
from grader.submission import Submission, make_submission, read_submission
from grader.verdict import Form, Verdict
from grader.verify import SEED
from grader.workspace import Workspace


class MachineJudge:
    """Judges with the problems of `workspace` on `device` (as `--device` names it)."""

    def __init__(self, workspace: Workspace, device: str, cache: Path | None = None) -> None:
        self._workspace, self._device, self._cache = workspace, device, cache
        self.gpu_model = device_name(choose_gpu(device))

    def __call__(self, job: Job, progress: Callable[[str], None]) -> Outcome:
        """Raises a KgradeError where this machine can't judge the job: a tool or the problem is missing."""
        try:
            submission = make_submission(job.file, job.text.encode())
        except SourceError as error:
            return outcome_of(_unreadable(job, self.gpu_model, error))
        options = Options(
            seed=job.hidden_seed, device=self._device, user=job.account, cache=self._cache, require_sandbox=True
        )
        return outcome_of(grade(self._workspace.load(job.problem), submission, options, progress))

    def self_test(self) -> str:
        """What keeps this machine from judging, or nothing: a worked submission must be accepted here."""
        try:
            name, file = self._worked()
            problem, submission = self._workspace.load(name), read_submission(file)
            options = Options(cases=3, seed=SEED, device=self._device, cache=self._cache, timed=False)
            report = grade(problem, submission, options)
        except KgradeError as error:
            return f"{error.message} ({error.hint})" if error.hint else error.message
        if report.verdict is Verdict.ACCEPTED:
            return ""
        return f"{name}/{file.name} must be accepted and was {report.verdict}: {report.headline}"

    def _worked(self) -> tuple[str, Path]:
        """The first worked submission in kernel form, which needs neither a compiler for hosts nor a sandbox."""
        for name, folder in self._workspace.problems.items():
            for file in sorted((folder / "submissions" / "accepted").glob("*.cu")):
                if read_submission(file).form is Form.KERNEL:
                    return name, file
        raise UsageError("no problem here has a worked submission to test this machine with", "type: kgrade verify")


def _unreadable(job: Job, device: str, error: SourceError) -> Report:
    """The report on a text that is no source at all, which no compiler gets to see."""
    blank = Submission(job.file, job.text, "", Form.KERNEL)
    return Report(
        problem=job.problem,
        title=job.problem,
        form=blank.form,
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
