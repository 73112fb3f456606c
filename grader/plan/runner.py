"""The Runner protocol: what a device must offer to run a Program, and its result, the Run.

The judge knows this protocol and no particular runner. A runner serves one submission, keeps its device code in a
separate process, and sees only the inputs of the current case.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from grader.core.limits import USUAL_LIMITS, Limits
from grader.core.verdict import Word
from grader.plan.poison import Poison

if TYPE_CHECKING:
    import numpy

    from grader.compile.program import Program
    from grader.core.plan import Plan, Step
    from grader.core.report import FaultReport, KernelInfo
    from grader.problem import Problem

    Array = numpy.ndarray[Any, Any]


class RunStatus(Word):
    """How a run ended."""

    DONE = "done"
    FAULT = "fault"
    TIME = "time"
    MEMORY = "memory"
    CRASHED = "crashed"
    """The runner itself failed; never the submission's fault."""


@dataclass(frozen=True)
class Remark:
    """Something a device noticed in a source line; `line` is 0 if unknown. `undefined` means that results computed
    from there on are undefined, which explains a wrong result."""

    message: str
    line: int = 0
    undefined: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """The result of executing a Plan.

    `unwritten` marks the output elements that still hold their poison; `changed` gives the first changed index of each
    input that was modified. `lines` are the source lines where threads were when time was up. `occupancy` holds, by
    kernel, the fraction of an SM's warps that its launch keeps resident, and what limits it. `remarks` are
    observations that are no faults. If unordered steps were met (`in_no_order`), the second run of the case runs them
    the other way round.
    """

    status: RunStatus
    fault: FaultReport | None = None
    outputs: Mapping[str, Array] = field(default_factory=dict)
    unwritten: Mapping[str, Array] = field(default_factory=dict)
    changed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    instructions: int | None = None
    printed: str = ""
    occupancy: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    seconds: float = 0.0
    message: str = ""
    details: str = ""
    remarks: tuple[Remark, ...] = ()
    in_no_order: bool = False

    @property
    def holds_poison(self) -> bool:
        return any(mask.any() for mask in self.unwritten.values())

    def unwritten_as_in(self, other: Run) -> Run:
        """This run with those elements unwritten that kept their poison in one with the other poison too.

        A kernel may well write one of the two patterns.
        """
        both = {name: mask & other.unwritten[name] for name, mask in self.unwritten.items()}
        return dataclasses.replace(self, unwritten=both)


class RunnerStopped(Exception):
    """The runner can't go on with this case. It is converted to a Run, so it is no KgradeError.

    `status` says why, `details` is for developers, and `run` is the result of steps that were executed for a `read`.
    The next `prepare` starts afresh.
    """

    def __init__(self, status: RunStatus, message: str, details: str = "", run: Run | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details
        self.run = run

    def as_run(self) -> Run:
        return self.run or Run(self.status, message=self.message, details=self.details)


class DeviceMemory(Protocol):
    """The device memory that launch code uses while it is recorded. Every method may raise RunnerStopped."""

    def allocate(self, size: int) -> int | None:
        """Returns the address of `size` (at least 1) bytes of scratch, valid until the next `prepare`; None if there
        is no room.
        """

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        """Makes these kernels of the submission ready to run; returns those that were not."""

    def time(self, steps: Sequence[Step]) -> float:
        """The seconds that these steps take on this device, the arrays left as they were; 0 where it has no times."""

    def symbol(self, name: str) -> int | None:
        """The address of the `__device__` or `__constant__` variable with this symbol; None if there is none."""

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        """Runs these steps, which follow all that ran before, and reads from an array or live scratch.

        A fault of the steps or of the read is the `run` of the RunnerStopped that is raised.
        """


class Runner(Protocol):
    """A device and the process that owns it, for one submission. Every method may raise RunnerStopped."""

    device: str
    """"emulator", or the GPU's name."""
    checks: tuple[str, ...]
    """The checks that this runner makes beyond the results, in words."""

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        """Makes the program ready to run."""

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        """Makes these kernels ready as well, until the next `load`; returns those that were not."""

    def time(self, steps: Sequence[Step], limits: Limits = USUAL_LIMITS) -> float:
        """Returns the seconds that these steps take on the case prepared last, whose arrays stay as they are.

        0 where a device has no times.
        """

    def prepare(
        self, problem: Problem, sizes: Mapping[str, int], family: str, seed: int, poison: Poison = Poison.NAN
    ) -> dict[str, int]:
        """Makes the inputs and poisons the outputs; returns each array's device address."""

    def allocate(self, size: int) -> int | None:
        """Returns the address of `size` new bytes for a plan on the case prepared last; None if there is no room."""

    def symbol(self, name: str) -> int | None:
        """Returns the address of a `__device__` or `__constant__` variable; None if there is none of this symbol."""

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        """Runs these steps after all that ran before, then returns `size` bytes from an address of the device."""

    def execute(self, plan: Plan, limits: Limits) -> Run:
        """Runs the plan on the case prepared last, after the steps of earlier reads.

        It is called once per `prepare`, and its Run covers all steps.
        """

    def close(self) -> None:
        """Ends the process. No other method is called afterwards; closing twice is allowed."""
