"""Makes a case's Plan from sizes and addresses, by the problem's harness or by recording the submission's solve().

It runs no kernel. The language of a submission says which of the two it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from grader.core.plan import Alloc, Launch, Plan, uses_streams
from grader.core.verdict import Verdict
from grader.plan.echo import FEW_BYTES, QUIET_BYTES, Echo, Listening, made_of_data, places_read, uploaded_by_times
from grader.plan.extents import bytes_of
from grader.plan.recording import Argument, Recording, with_lines
from grader.problem.harness import build_plan

if TYPE_CHECKING:
    from grader.compile.program import Kernel
    from grader.core.report import Diagnostic
    from grader.plan.device_table import DeviceTable
    from grader.plan.runner import DeviceMemory
    from grader.plan.stopped import RecordingStopped
    from grader.problem import Problem

READ_BYTES, READ_SHARE = 16 << 10, 8
"""What solve() may copy to the host: READ_BYTES, or 1 / READ_SHARE of the bytes of all arrays if that is more. A count
or a flag may decide the next launch; computing results from copied data would use the host, whose time is not
measured."""
ON_THE_DEVICE = "Compute on the device: only what decides the next launch may be copied back"


class Planner(Protocol):
    """Makes a submission's plans, and remembers the last one.

    `separate`: whether each call of solve() has a process of its own, so that none sees what others keep. `steered`:
    whether any plan depended on results copied to the host. `leak`: what the last solve() did not free, in words.
    `ignored`: the first failed call after which a solve() went on, in words. `printed`: the output of the last solve().
    """

    @property
    def separate(self) -> bool: ...

    steered: bool
    leak: str
    ignored: str
    printed: str

    @property
    def notes(self) -> Sequence[Diagnostic]:
        """What the launch code tells readers of the report, such as what a tuner chose."""

    def plan(self, sizes: Mapping[str, int], addresses: Mapping[str, int], device: DeviceMemory) -> Plan:
        """Returns the steps that are left to run on these arrays.

        Raises LaunchRefused, RecordingStopped, and what `device` raises.
        """

    def plan_series(
        self, calls: Sequence[tuple[Mapping[str, int], Mapping[str, int]]], device: DeviceMemory
    ) -> Sequence[Plan] | None:
        """The plans of several calls of solve() in one process, of which each has these sizes and addresses.

        None where results that are copied to the host decide what happens next. Raises RecordingStopped, and what
        `device` raises.
        """

    @property
    def whole(self) -> Plan:
        """The last plan with the steps that ran already, for results that were copied to the host; no steps where it
        is all that there is."""

    def start_anew(self) -> None:
        """Lets the next plan know nothing of those before."""

    def close(self) -> None:
        """Ends its processes. Closing twice is allowed."""

    def launch_line(self, kernel: str) -> int | None:
        """The source line where the last plan launches this kernel; None if there is not exactly one such line."""

    def refused_launch(self) -> RecordingStopped | None:
        """The first launch of the last solve() that CUDA refused although solve() went on; None if there is none."""


class HarnessPlanner:
    """Plans with the problem's `solve()` harness and the submission's launch constants."""

    separate = False
    steered = False
    leak = ""
    ignored = ""
    printed = ""
    notes = ()
    whole = Plan(())

    def __init__(self, problem: Problem, constants: Mapping[str, int]) -> None:
        self._problem = problem
        self._constants = constants

    def plan(self, sizes: Mapping[str, int], addresses: Mapping[str, int], device: DeviceMemory) -> Plan:
        return build_plan(self._problem, self._constants, sizes, addresses)

    def plan_series(self, calls: Sequence[tuple[Mapping[str, int], Mapping[str, int]]], device: DeviceMemory) -> None:
        """Nothing: the problem's own harness keeps nothing."""

    def start_anew(self) -> None:
        """Nothing: the harness is the problem's own."""

    def close(self) -> None:
        """Nothing: it has no process."""

    def launch_line(self, kernel: str) -> int | None:
        return None

    def refused_launch(self) -> RecordingStopped | None:
        return None


class Recorder(Protocol):
    """Calls a submission's solve() and records what it asks for."""

    @property
    def separate(self) -> bool:
        """Whether each call has a process of its own."""

    @property
    def kernels(self) -> Sequence[Kernel]:
        """The kernels that plans may launch, as far as they are known."""

    def record(self, arguments: Sequence[Argument], properties: DeviceTable, device: DeviceMemory) -> Recording:
        """Calls solve() once with these arguments. `device` provides scratch and the data copied to the host.

        Raises RecordingStopped for an outcome of the submission, and what `device` raises.
        """

    def record_series(
        self, calls: Sequence[Sequence[Argument]], properties: DeviceTable, device: DeviceMemory
    ) -> Recording | None:
        """Calls solve() with each of these, in one process; None where calls are not separate. Raises as `record`."""

    @property
    def notes(self) -> Sequence[Diagnostic]:
        """What solve() tells readers of the report."""

    def start_anew(self) -> None:
        """Lets the next call know nothing of those before, and nobody of those to come."""

    def forget(self) -> None:
        """Lets the next call know no more than the first one did."""

    def lines(self, calls: Sequence[Sequence[int]]) -> Sequence[int | None]:
        """The source line of each call, given by its stack as in `Recording.at`; None if unknown."""


class RecordingPlanner:
    """Plans by calling the submission's solve() in the sandbox.

    `ask_table` is called once, at the first plan.
    """

    def __init__(self, problem: Problem, recorder: Recorder, ask_table: Callable[[], DeviceTable]) -> None:
        self.steered = False
        self.leak = self.ignored = self.printed = ""
        self._problem = problem
        self._recorder = recorder
        self._ask_table = ask_table
        self._last: Recording | None = None

    @property
    def separate(self) -> bool:
        return self._recorder.separate

    @property
    def notes(self) -> Sequence[Diagnostic]:
        return self._recorder.notes

    @cached_property
    def _table(self) -> DeviceTable:
        return self._ask_table()

    def plan(self, sizes: Mapping[str, int], addresses: Mapping[str, int], device: DeviceMemory) -> Plan:
        arguments, heard = arguments_of(self._problem, sizes, addresses), Listening(device)
        recording = self.record(arguments, heard)
        if uses_streams(recording.plan.steps) or any(isinstance(step, Alloc) for step in recording.plan.steps):
            # Messages about scratch and about unordered launches name lines.
            recording = with_lines(recording, self._recorder.lines)
        self._last = recording
        self.steered = self.steered or recording.reads > 0
        self.leak, self.ignored = _leak_of(recording), self.ignored or self._ignored_of(recording)
        self.printed = recording.printed
        self._check_reads(recording, arguments, heard)
        return Plan(recording.plan.steps[recording.executed :])

    def plan_series(
        self, calls: Sequence[tuple[Mapping[str, int], Mapping[str, int]]], device: DeviceMemory
    ) -> Sequence[Plan] | None:
        arguments = [arguments_of(self._problem, sizes, addresses) for sizes, addresses in calls]
        series = self._recorder.record_series(arguments, self._table, device)
        if series is None or series.reads or len(series.begins) < len(calls):
            return None
        steps = with_lines(series, self._recorder.lines).plan.steps
        return [Plan(steps[begin:end]) for begin, end in pairwise((*series.begins, len(steps)))]

    @property
    def whole(self) -> Plan:
        return self._last.plan if self._last is not None and self._last.executed else Plan(())

    def start_anew(self) -> None:
        self._recorder.start_anew()

    def close(self) -> None:
        self._recorder.forget()

    def record(self, arguments: Sequence[Argument], device: DeviceMemory) -> Recording:
        """One call of solve() with these arguments."""
        return self._recorder.record(arguments, self._table, device)

    def launch_line(self, kernel: str) -> int | None:
        if self._last is None:
            return None
        launches = zip(self._last.plan.steps, self._recorder.lines(self._last.at), strict=True)
        handles = {k.handle for k in self._recorder.kernels if kernel in (k.name, k.symbol, k.handle)}
        found = {line for step, line in launches if isinstance(step, Launch) and step.kernel in handles}
        return found.pop() if len(found) == 1 else None

    def refused_launch(self) -> RecordingStopped | None:
        from grader.plan.stopped import LAUNCHES, RecordingStopped, failed_call

        errors = self._last.errors if self._last is not None else ()
        refused = next((error for error in errors if error.call.startswith(LAUNCHES)), None)
        if refused is None:
            return None
        (line,) = self._recorder.lines((refused.at,))
        return RecordingStopped(failed_call(refused), line)

    def _ignored_of(self, recording: Recording) -> str:
        """Describes the first call that returned an error without ending solve(); empty if none did."""
        if not recording.errors:
            return ""
        from grader.plan.stopped import name_call

        first = recording.errors[0]
        line, earlier = self._recorder.lines((first.at, first.earlier))
        where = f" in line {line}" if line else ""
        before = f" (line {earlier})" if earlier else ""
        detail = f": {first.message}{before}" if first.message else ""
        return f"{name_call(first.call)}{where} failed with {first.words!r} ({first.name}), and solve() went on{detail}"

    def _check_reads(self, recording: Recording, arguments: Sequence[Argument], heard: Listening) -> None:
        from grader.plan.stopped import RecordingStopped, Stop

        array_bytes = sum(argument.size for argument in arguments)
        most = max(READ_BYTES, array_bytes // READ_SHARE)
        if recording.read_bytes > most:
            message = (
                f"solve() copies {recording.read_bytes:,} bytes to the host, where {most:,} are allowed for arrays of "
                f"{array_bytes:,} bytes"
            )
            raise RecordingStopped(Stop(Verdict.REJECTED, message, hint=ON_THE_DEVICE))
        if self._is_made_on_the_host(recording, arguments, heard):
            copied = f"copies {recording.read_bytes:,} bytes to the host, computes with them there"
            how = copied if recording.read_bytes else "computes on the host from the times of trials"
            message = f"solve() {how}, and hands the device what comes of it"
            raise RecordingStopped(Stop(Verdict.REJECTED, message, hint=ON_THE_DEVICE))

    def _is_made_on_the_host(self, recording: Recording, arguments: Sequence[Argument], heard: Listening) -> bool:
        """Whether solve() computes results on the host.

        Copies from many places convict if anything is computed from them. Copies from few places convict only if they
        add up to all inputs and what is computed from them to all outputs. Times of trials may tell of all inputs.
        """
        few = places_read(recording.plan) <= FEW_BYTES
        results = sum(argument.size for argument in arguments if argument.name in self._problem.outputs)
        inputs = sum(argument.size for argument in arguments) - results
        # Another recording costs a tuner all of its trials.
        told = heard.timed and uploaded_by_times(recording.plan, None) >= results > QUIET_BYTES
        if few and recording.read_bytes <= QUIET_BYTES and not told:
            return False
        echo = self._echo_of(arguments, heard)
        if told and uploaded_by_times(recording.plan, echo) >= results:
            return True
        made = made_of_data(recording.plan, echo, heard.reads)
        return made > 0 and (not few or (made >= results > QUIET_BYTES and recording.read_bytes >= inputs))

    def _echo_of(self, arguments: Sequence[Argument], heard: Listening) -> Plan | None:
        """The plan that solve() makes from altered data; None if that recording gives no plan."""
        from grader.plan.stopped import RecordingStopped

        # It could hand over once more what it computed from the true data.
        self._recorder.forget()
        try:
            return self.record(arguments, Echo(heard)).plan
        except RecordingStopped:
            return None


def arguments_of(problem: Problem, sizes: Mapping[str, int], addresses: Mapping[str, int]) -> list[Argument]:
    """The arguments of solve() in the order of the problem's parameters."""
    arrays = {**problem.inputs, **problem.outputs}
    return [
        Argument(
            *(name, "int64", addresses[name], arrays[name].nbytes(sizes)),
            dtype=arrays[name].dtype.name,
            shape=tuple(arrays[name].shape(sizes)),
        )
        if name in arrays
        else Argument(name, *problem.argument(name, sizes))
        for name in problem.params
    ]


def _leak_of(recording: Recording) -> str:
    """Describes the memory that solve() allocates and does not free; empty if there is none."""
    if not recording.leaked:
        return ""
    size, count = sum(step.size for step in recording.leaked), len(recording.leaked)
    pieces = "" if count == 1 else f" in {count} allocations"
    # If an address was given twice, the last allocation is the one that leaks.
    asked = {step.address: step.line for step in recording.plan.steps if isinstance(step, Alloc)}
    first = next((line for step in recording.leaked if (line := asked.get(step.address))), None)
    where = f", {'first ' if count > 1 else ''}in line {first}" if first else ""
    return f"solve() does not free {bytes_of(size)}{pieces} that it got from cudaMalloc{where}"
