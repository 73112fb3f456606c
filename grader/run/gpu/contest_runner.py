"""The judge's side of a process that holds contests: it asks, passes on what was kept, and ends what is of no more use.

Who takes part and what the answer means is decided in `grader.contesting`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.measure.standings import PATIENCE, seconds_for
from grader.measure.statistics import StoppingRule
from grader.run.gpu.gpu_runner import LIMITS, TIMING_SECONDS, GpuRunner


class ContestRunner(GpuRunner):
    """Holds one contest after another, each of programs that are loaded for it anew."""

    def contest(self, request: Mapping[str, Any], check: Callable[[Mapping[str, Any]], str]) -> Mapping[str, Any]:
        """The answer of `Contesting`.

        `check` is given each of the outputs that were kept, with its contender, and says "go_on" or "hand_over".
        Raises RunnerStopped; that, and what `check` raises, ends the process.
        """
        contenders = len(request["contenders"])
        seconds = contenders * (LIMITS * request["limit"] + TIMING_SECONDS)
        seconds += PATIENCE * seconds_for(contenders, StoppingRule())
        self.load_anew()
        try:
            answer = self._ask({"do": "contest", **request}, seconds)
            while "kept" in answer:
                answer = self._ask({"do": check(answer["kept"])}, seconds)
        except BaseException:
            self.close()
            raise
        if "contest" not in answer:
            # A fault has ended its CUDA context, or a kernel is still running.
            self.close()
        return answer
