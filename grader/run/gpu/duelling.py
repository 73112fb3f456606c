"""Answers a request for a contest in the runner's process: loads programs side by side, on the same arrays.

`contest` takes the turns; the judge decides what the times mean.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.measure.duel import to_data
from grader.measure.statistics import StoppingRule
from grader.plan.extents import Outside
from grader.problem import Problem
from grader.problem.harness import LaunchRefused
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.buffers import Overrun
from grader.run.gpu.duel import Entrant, EntrantFailed, contest
from grader.run.gpu.faults import OUT_OF_MEMORY, launch_fault, running_fault
from grader.run.gpu.keeper import Ask, keeper
from grader.run.gpu.persisting import reset_persisting_l2
from grader.run.gpu.recorded import Recorded
from grader.run.gpu.replay import Kernels, LaunchError, status_of
from grader.run.gpu.reservoir import Keep
from grader.run.gpu.shortened import WrittenEarly
from grader.run.gpu.timed import (
    Addresses,
    Contender,
    Prepare,
    Prepared,
    call_library,
    find_overrun,
    launch_program,
    spans_of,
)
from grader.run.gpu.timing import MakeSet, Overtime
from grader.run.handover import Outputs

Message = dict[str, Any]


class Stage:
    """The arrays on which all contenders run in turn: fresh inputs and poison come before each replay.

    Arrays of their own would have other addresses, and the same kernel would differ from itself.
    """

    def __init__(
        self,
        problem: Problem,
        sizes: Mapping[str, int],
        structure: int,
        contender: Callable[..., Contender] = Contender,
    ) -> None:
        self._arrays = contender(problem, sizes, self._note, structure)
        self._addresses: list[Addresses] = []
        self._sets: list[BufferSet] = []
        self._prepared: list[Prepared] = []

    def maker(self, prepare: Prepare) -> MakeSet:
        """Returns what makes one contender's buffer sets on these arrays."""

        def make_set(number: int) -> BufferSet:
            while len(self._sets) <= number:
                self._sets.append(self._arrays.make_set(len(self._sets)))
            prepared = prepare(number, self._addresses[number])
            self._prepared.append(prepared)
            # Scratch is each contender's own: only arrays are shared.
            scratch = spans_of(prepared.scratch.values())
            return replace(self._sets[number], launch=prepared.launch, scratch=scratch)

        return make_set

    def find_overrun(self) -> tuple[str, int, Overrun] | None:
        """Finds a write outside an array, like a Contender's method."""
        return self._arrays.find_overrun() or find_overrun(prepared.scratch for prepared in self._prepared)

    def free(self) -> None:
        while self._prepared:
            self._prepared.pop().release()
        self._arrays.free()

    def _note(self, _number: int, addresses: Addresses) -> Prepared:
        self._addresses.append(addresses)
        return Prepared(lambda stream: None)


class Contesting:
    """Times several programs, one problem size after another, by these parts."""

    kernels = Kernels
    contender = Contender
    contest = staticmethod(contest)
    reset = staticmethod(reset_persisting_l2)
    call_library = staticmethod(call_library)
    launch_program = staticmethod(launch_program)

    def __init__(self, problem: Problem, outputs: Outputs, ask: Ask) -> None:
        self._problem = problem
        self._outputs = outputs
        self._ask = ask

    def answer(
        self,
        sizes: Mapping[str, int],
        sigma: float,
        limit: float,
        verified: int,
        structure: int,
        contenders: Sequence[Message],
        rule: Mapping[str, Any],
    ) -> Message:
        """Times these contenders at one size; meanwhile asks the judge to check the outputs that are kept.

        Each has `name` and `seed`, and `program` with `image`, `symbols` and `constants`, or None for the problem's
        library call. If `constants` is None, the judge records its plans; the question has `contender`, the name.
        `structure` is the seed of structures, the same for all; `rule` has the fields of a StoppingRule; the rest is
        as for `contest`.

        The answer is one of `contest`; `stopped` with the name of the contender that failed, and `message`; or `failed`
        with what nobody is blamed for. After the last two the process is of no more use.
        """
        stage, loaded = (
            Stage(self._problem, sizes, structure, self.contender),
            [self._load(contender["program"]) for contender in contenders],
        )
        entrants = [
            Entrant(each["name"], each["seed"], stage.maker(self._prepare(sizes, each, kernels, sigma, limit)))
            for each, kernels in zip(contenders, loaded, strict=True)
        ]
        self.reset()
        try:
            found = self.contest(
                entrants,
                sigma=sigma,
                limit=limit,
                keep=self._keep,
                verified=verified,
                rule=StoppingRule(**rule),
            )
        except EntrantFailed as failure:
            return _stopped(self._problem, failure, limit)
        overrun = stage.find_overrun()
        if overrun is not None:
            return {"failed": f"one of the kernels wrote outside {overrun[0]}"}
        stage.free()
        for kernels in loaded:
            if kernels is not None:
                kernels.unload()
        return {"contest": to_data(found)}

    def _prepare(
        self, sizes: Mapping[str, int], contender: Message, kernels: Kernels | None, sigma: float, limit: float
    ) -> Prepare:
        if kernels is None:
            return self.call_library(self._problem, sizes)
        if contender["program"]["constants"] is not None:
            return self.launch_program(self._problem, sizes, kernels, contender["program"]["constants"])
        more = {"sigma": sigma, "limit": limit, "contender": contender["name"]}
        return Recorded(self._problem, sizes, kernels, self._outputs, self._ask, **more)

    def _keep(self, name: str) -> Keep:
        """Returns what has the judge take this contender's outputs, labelled with its name."""
        return keeper(self._problem, self._outputs, self._ask, contender=name)

    def _load(self, program: Message | None) -> Kernels | None:
        """Loads a program anew for each contest, so that variables in GPU memory have their initial values."""
        return None if program is None else self.kernels(base64.b64decode(program["image"]), program["symbols"])


def _stopped(problem: Problem, failure: EntrantFailed, limit: float) -> Message:
    """Words how a contender failed while it was tried alone. Raises again what is no kernel's fault."""
    cause = failure.cause
    if isinstance(cause, Overtime):
        message = f"still running after {limit:g} s"
    elif isinstance(cause, (LaunchRefused, Outside)):
        message = cause.message
    elif isinstance(cause, WrittenEarly):
        message = str(cause)
    elif isinstance(cause, LaunchError):
        message = launch_fault(cause.kernel, cause.cause)["message"]
    elif isinstance(cause, RuntimeError) and status_of(cause) == OUT_OF_MEMORY:
        return {"failed": "the arrays don't fit into the GPU's memory"}
    elif isinstance(cause, RuntimeError) and status_of(cause):
        message = running_fault(problem.kernel, status_of(cause), cause)["message"]
    else:
        raise cause
    return {"stopped": failure.name, "message": message}
