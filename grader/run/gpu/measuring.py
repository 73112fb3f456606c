"""One measurement in the runner's process: times a candidate and its baseline, and keeps outputs for the judge.

It hands over samples and outputs; what they are worth is decided where the references are.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from grader.measure.samples import BASELINE, CANDIDATE, to_data
from grader.measure.statistics import StoppingRule
from grader.problem import Problem
from grader.run.gpu.faults import early_fault, overrun_fault
from grader.run.gpu.keeper import Ask, keeper
from grader.run.gpu.persisting import reset_persisting_l2
from grader.run.gpu.recorded import Recorded
from grader.run.gpu.replay import Kernels
from grader.run.gpu.shortened import WrittenEarly
from grader.run.gpu.timed import Contender, Prepare, call_library, launch_program
from grader.run.gpu.timing import measure
from grader.run.handover import Outputs

Message = dict[str, Any]

NULL_TEST = StoppingRule(tolerance=0.0015, seconds=0.5)
"""Ends the baseline's timing against itself, done once per grading, at half of the deviation that it may show."""


class Measuring:
    """Times one loaded program on one problem size after another."""

    def __init__(self, problem: Problem, kernels: Kernels, outputs: Outputs, ask: Ask) -> None:
        self._problem = problem
        self._kernels = kernels
        self._outputs = outputs
        self._ask = ask

    def answer(
        self,
        sizes: Mapping[str, int],
        constants: Mapping[str, int] | None,
        seed: int,
        sigma: float,
        limit: float,
        verified: int,
        null: bool,
        baseline: Message | None,
    ) -> Message:
        """Returns the samples of one size; meanwhile asks the judge to check the outputs that are kept.

        `constants` are the candidate's launch constants, None if the judge records its plans (as `Recorded` asks for
        them, with the `side` that it is for). `seed` decides the inputs of all replays. `limit` is in seconds, for one
        launch sequence. `baseline` is a program, or None for the library or no baseline.
        """
        reset_persisting_l2()

        def launched(kernels: Kernels, constants: Mapping[str, int] | None, side: str) -> Prepare:
            if constants is not None:
                return launch_program(self._problem, sizes, kernels, constants)
            known = (self._problem, sizes, kernels, self._outputs, self._ask)
            return Recorded(*known, sigma=sigma, limit=limit, side=side)

        candidate = Contender(self._problem, sizes, launched(self._kernels, constants, CANDIDATE), seed)
        paired = call_library(self._problem, sizes) if self._problem.calls_library else None
        if baseline is not None:
            kernels = Kernels(base64.b64decode(baseline["image"]), baseline["symbols"])
            paired = launched(kernels, baseline["constants"], BASELINE)
        contenders = [candidate]
        if paired is not None:
            contenders.append(Contender(self._problem, sizes, paired, seed))
        try:
            timing = measure(
                candidate.make_set,
                None if paired is None else contenders[-1].make_set,
                seed=seed,
                sigma=sigma,
                limit=limit,
                keep=keeper(self._problem, self._outputs, self._ask),
                verified=verified,
                null=NULL_TEST if null else None,
            )
            found = candidate.find_overrun()
        except WrittenEarly as early:
            array = list(self._problem.outputs)[early.output]
            kernel = self._problem.kernel if constants is not None else ""
            return {"status": "fault", "fault": early_fault(kernel, array, str(early))}
        finally:
            for contender in contenders:
                contender.free()
        if found is not None:
            kernel = self._problem.kernel if constants is not None else ""
            return {"status": "fault", "fault": overrun_fault(kernel, *found)}
        return {"status": "done", "timing": to_data(timing)}
