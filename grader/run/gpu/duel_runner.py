"""The judge's side of a process that holds contests: asks, passes on what was kept, ends the process.

`grader.judge.duel` decides who takes part and what the answer means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.compile.program import Program
from grader.core.report import KernelInfo
from grader.measure.standings import PATIENCE, seconds_for
from grader.measure.statistics import StoppingRule
from grader.run.gpu.gpu_runner import Check, GpuRunner, Record


class ContestRunner(GpuRunner):
    """Holds one contest after another; the programs of each are loaded anew."""

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        # No program was loaded before, and each contender's kernels are its own, also where they are the same.
        return self._add("extend", program)

    def contest(self, request: Mapping[str, Any], check: Check, record: Record | None = None) -> Mapping[str, Any]:
        """Returns the answer of `Contesting`.

        `check` and `record` are those of `converse`; their arguments also have the `contender`. Raises RunnerStopped;
        that, and what they raise, ends the process.
        """
        contenders = len(request["contenders"])
        seconds = contenders * (self.timing_limits * request["limit"] + self.timing_seconds)
        seconds += PATIENCE * seconds_for(contenders, StoppingRule(**request["rule"]))
        answer = self.converse({"do": "contest", **request}, seconds, check, record)
        if "contest" not in answer:
            # A fault has ended its CUDA context, or a kernel is still running.
            self.close()
        return answer
