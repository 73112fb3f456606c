"""Runs a worker's gradings in a separate process, which is killed at its deadline or when it falls silent.

A grading may get stuck where no exception reaches it, such as in a regular expression. So the worker, which reads no
byte of a submission, keeps the time and kills that process with all its descendants.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.contest.descendants import descendants, end_descendants
from grader.contest.jobs import EXPLAIN_SECONDS, Answer, Job, Outcome, Question, Stalled
from grader.core.errors import JudgeError
from grader.core.threads import OF_A_JUDGE
from grader.sandbox.children import Child, ChildDied, ChildTimeout

MODULE = "grader.contest.judging_child"
SILENCE = 15.0
"""Seconds without a sign of life after which it counts as stuck; Python switches threads much more often."""
STARTING = 60.0
GRACE = 10.0
"""Extra seconds: a grading checks its deadline itself and reports its step; it is killed only if it does not."""
TEST_SECONDS = 300.0


class GradingProcess:
    """A Worker's judge that runs a MachineJudge in a child process, kept for the next grading while all goes well.

    `adopts` says that this process adopts orphans (`adopt_orphans`) and has no other children.
    """

    def __init__(
        self,
        workspace: Path,
        device: str,
        cache: Path | None = None,
        *,
        sandboxed: bool = True,
        adopts: bool = False,
        silence: float = SILENCE,
        grace: float = GRACE,
        module: str = MODULE,
    ) -> None:
        self._arguments = [str(workspace.absolute()), device, str(cache or ""), "sandboxed" if sandboxed else "open"]
        self._adopts, self._silence, self._grace, self._module = adopts, silence, grace, module
        self._child: Child | None = None

    def __call__(self, job: Job, progress: Callable[[str], None]) -> Outcome:
        """Judges a job. Raises Stalled if the process had to be killed, and what the judge raises."""
        answer = self._ask({"job": asdict(job)}, job.grading_seconds + self._grace, progress)
        return Outcome(**answer["outcome"])

    def explain(self, question: Question, progress: Callable[[str], None]) -> Answer:
        """Explains a source. Raises Stalled if the process had to be killed, and what the judge raises."""
        return Answer(**self._ask({"question": asdict(question)}, EXPLAIN_SECONDS, progress))

    def self_test(self, progress: Callable[[str], None] = lambda text: None) -> str:
        """Runs MachineJudge.self_test in the process; `progress` gets the same words again as a sign of life."""
        try:
            return str(self._ask({}, TEST_SECONDS, progress)["note"])
        except (Stalled, JudgeError) as error:
            return f"the self-test did not come to its end: {error}"

    def close(self) -> None:
        """Kills the process and all its descendants."""
        if self._child is None:
            return
        child, self._child = self._child, None
        below = descendants(child.pid)
        child.close()
        for number in below:
            end_descendants(number)
        if self._adopts:
            end_descendants(os.getpid())

    def _ask(self, request: Mapping[str, Any], seconds: float, progress: Callable[[str], None]) -> dict[str, Any]:
        step, until = "starting", time.monotonic() + seconds
        try:
            if self._child is None:
                self._child = Child(self._module, self._arguments, OF_A_JUDGE)
            self._child.send(request)
            while True:
                # Its first sign comes when all is loaded.
                silence = STARTING if step == "starting" else self._silence
                left = until - time.monotonic()
                if left <= 0 or not self._child.has_spoken(min(left, silence)):
                    words = f"no sign for {silence:.0f} s" if silence < left else f"no end after {seconds:.0f} s"
                    raise Stalled(f"{words}, at: {step}")
                answer = self._child.receive(silence)
                if "progress" not in answer:
                    return answer
                step = answer["progress"] or ("beginning" if step == "starting" else step)
                progress(step)
        except (ChildDied, ChildTimeout) as error:
            self.close()
            raise Stalled(f"its process ended, at: {step} ({error.message})") from None
        except BaseException:
            self.close()
            raise
