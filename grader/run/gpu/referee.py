"""The referee: checks large results on a GPU, in a trusted process that no submission ever runs in.

This is the judge's side. It decides nothing that `grader.check` does not; if the GPU cannot check a case, the judge
does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.errors import JudgeError
from grader.core.report import CaseResult, case_from_data
from grader.machine.gpus import Gpu, environment_of
from grader.problem import Problem
from grader.problem.cases import Case
from grader.run import head_start
from grader.run.handover import Outputs
from grader.sandbox.children import Child

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

MODULE = head_start.REFEREE
START_SECONDS = 60.0
CHECK_SECONDS = 60.0

LEAST_FLOPS, LEAST_BYTES = 1_000_000_000, 8 << 20
"""Smallest cost (FLOP, bytes) at which the GPU checks faster than the CPU, round trip included."""


class Referee:
    """Checks cases of one problem on one GPU. The GPU is not touched before the first check."""

    check_seconds = CHECK_SECONDS

    def __init__(self, gpu: Gpu, problem: Problem, module: str = MODULE) -> None:
        self._problem = problem
        self._child: Child | None = head_start.take(module, environment_of(gpu))
        self._child.send({"do": "open", "folder": str(Path(problem.folder).absolute())})
        self._unanswered = 1
        self._arrays: Outputs | None = None
        self.refusals: list[str] = []
        """Why checks were left to the CPU; empty if the GPU did them all."""

    def begin(self) -> None:
        """Starts CUDA in the process, without waiting for it."""
        if self._child is not None:
            self._child.send({"do": "begin"})
            self._unanswered += 1

    def is_quicker(self, sizes: Mapping[str, int]) -> bool:
        """Returns whether a case of these sizes is large enough to be checked here."""
        large = self._problem.cost_of(sizes).flops >= LEAST_FLOPS or self._problem.array_bytes(sizes) >= LEAST_BYTES
        return large and self._child is not None

    def check(
        self,
        case: Case,
        outputs: Mapping[str, Array],
        unwritten: Mapping[str, Array],
        changed: Mapping[str, tuple[int, ...]],
    ) -> CaseResult | None:
        """Checks one case on the GPU. Returns None if it must be checked on the CPU."""
        if self._arrays is None:
            self._arrays = Outputs(os.memfd_create("kgrade-outputs"))
        masks = {f"unwritten {name}": mask for name, mask in unwritten.items() if mask.any()}
        offsets = self._arrays.hand_over({**outputs, **masks}.items())
        return self._ask(
            {
                "do": "check",
                "sizes": dict(case.sizes),
                "family": case.family,
                "seed": case.seed,
                "changed": {name: list(index) for name, index in changed.items()},
                "file": f"/proc/{os.getpid()}/fd/{self._arrays.descriptor}",
                "offsets": offsets,
            }
        )

    def check_kept(
        self,
        sizes: Mapping[str, int],
        seed: int,
        sigma: float,
        structure: int,
        replay: int,
        buffer_set: int,
        handle: str,
    ) -> CaseResult | None:
        """Checks outputs of a timed replay that are in a mailbox. Returns None if they must be checked on the CPU."""
        kept = {"seed": seed, "sigma": sigma, "structure": structure, "replay": replay, "buffer_set": buffer_set}
        return self._ask({"do": "check_kept", "sizes": dict(sizes), **kept, "handle": handle})

    def kill(self) -> None:
        """Kills the process without waiting for its end; `close` waits."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None
        if self._arrays is not None:
            os.close(self._arrays.descriptor)
            self._arrays = None

    def _ask(self, request: Mapping[str, Any]) -> CaseResult | None:
        if self._child is None:
            return None
        try:
            while self._unanswered:
                self._child.receive(START_SECONDS)
                self._unanswered -= 1
            self._child.send(request)
            answer = self._child.receive(self.check_seconds)
        except JudgeError as error:
            # The CPU checks the same by the same rules, only more slowly.
            self.refusals.append(error.message)
            self._child.close()
            self._child = None
            return None
        except BaseException:
            self.close()
            raise
        if "unable" in answer:
            self.refusals.append(answer["unable"])
            return None
        return case_from_data(answer["result"])
