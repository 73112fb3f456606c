"""The judge's side of one call of solve(): answers its questions, collects its steps, and checks its plan.

The process on the other side is hostile; its messages are parsed by grader.plan.frames.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from grader.compile.program import Kernel
from grader.core.plan import ALL_STREAMS, Download, Free, Plan, Step, Synchronize, uses_streams, with_line
from grader.core.verdict import FaultClass, Verdict
from grader.plan.device_table import DeviceTable
from grader.plan.frames import (
    CallError,
    Hurried,
    Malformed,
    Recorded,
    number,
    parse_error,
    parse_errors,
    parse_steps,
    places,
    stream,
    text,
)
from grader.plan.limits import COPY_LIMIT, MOST_STEPS
from grader.plan.recording import Argument, Lines, Recording
from grader.plan.runner import DeviceMemory, RunnerStopped
from grader.plan.scratch import Scratch
from grader.plan.stopped import Stop, failed_call, stop_of_forgery, told_stop
from grader.plan.validate import Extent, InvalidPlan, Validator

_NO_SYMBOL = b"error 13"
"""cudaErrorInvalidSymbol"""


class Ended(Exception):
    """The recording ended without a plan."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.message)
        self.stop = stop


class Process(Protocol):
    """The process that calls solve(), as the judge sees it."""

    def send(self, payload: bytes) -> None:
        """Sends an answer. If the process has ended, the next `receive` shows it. Raises Hurried."""

    def receive(self) -> Mapping[str, Any] | None:
        """The next frame; None if the process has ended. Raises Hurried, Malformed."""

    def wait_longer(self, seconds: float) -> None:
        """Extends the deadline by the time that the judge itself took."""

    def end_late(self) -> Stop:
        """Kills the process, which did not answer in time."""

    def explain_death(self) -> Stop:
        """Why the process ended without a last frame."""


class Call:
    """One call of solve(), or more, from the judge's side of the channel. `kernels` are those that plans may launch.

    The process makes so many `calls`, and `arguments` are those of all.
    """

    def __init__(
        self,
        kernels: Iterable[Kernel],
        arguments: Sequence[Argument],
        properties: DeviceTable,
        device: DeviceMemory,
        process: Process,
        lines: Lines,
        calls: int = 1,
    ) -> None:
        self.extents = [Extent(a.name, a.bits, a.size) for a in arguments if a.size]
        self.device = device
        self._process = process
        self._lines = lines
        self._recorded: list[Recorded] = []
        self._calls = calls
        self._begins = [0]
        self._executed = 0
        self._reads = 0
        self._read_bytes = 0
        self._errors: tuple[CallError, ...] = ()
        self._scratch = Scratch(device)
        self.validator = Validator(kernels, self.extents, properties, self._scratch.given)
        self._validated = 0

    def run(self) -> None:
        """Runs until the last call of solve() has returned and the plan of all is valid.

        Raises Ended, and RunnerStopped from the device.
        """
        try:
            while (frame := self._process.receive()) is not None:
                if self.take(frame):
                    return
        except Hurried:
            raise Ended(self._process.end_late()) from None
        except Malformed as error:
            raise Ended(stop_of_forgery(error)) from None
        raise Ended(self._process.explain_death())

    def recording(self, seconds: float, printed: str) -> Recording:
        return Recording(
            plan=Plan(tuple(recorded.step for recorded in self._recorded)),
            at=tuple(recorded.at for recorded in self._recorded),
            reads=self._reads,
            read_bytes=self._read_bytes,
            executed=self._executed,
            leaked=self._scratch.in_use,
            errors=self._errors,
            seconds=seconds,
            printed=printed,
            begins=tuple(self._begins),
        )

    def begun(self) -> Plan:
        """What a solve() that did not return asked for, without what has been executed; nothing if it is not valid."""
        try:
            self._validate()
        except Ended:
            return Plan(())
        return Plan(tuple(self._left()))

    def take(self, frame: Mapping[str, Any]) -> bool:
        """Handles one frame; returns True for the last."""
        op = text(frame, "op")
        if op == "steps":
            steps = parse_steps(frame, MOST_STEPS + 1 - len(self._recorded))
            self._recorded += steps
            self._scratch.see(recorded.step for recorded in steps)
        elif op == "alloc":
            self._answer(self._allocate(frame))
        elif op == "symbol":
            self._answer(self._symbol(frame))
        elif op == "read":
            self._answer(self._read(frame))
        elif op == "again" and len(self._begins) < self._calls:
            self._begins.append(len(self._recorded))
        elif op == "end":
            self._end(frame)
            return True
        elif op == "stop":
            scratch = (Extent("", address, size) for address, size in self._scratch.given.items())
            raise Ended(told_stop(frame, [*self.extents, *scratch]))
        else:
            raise Malformed("a frame that no recorder sends")
        return False

    def _answer(self, payload: bytes) -> None:
        self._process.send(payload)

    @contextmanager
    def own_time(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self._process.wait_longer(time.monotonic() - started)

    def _allocate(self, frame: Mapping[str, Any]) -> bytes:
        with self.own_time():
            found = self._scratch.allocate(number(frame, "size"))
        if isinstance(found, str):
            return f"error {found}".encode()
        of = stream(frame) if "stream" in frame else ALL_STREAMS
        self._recorded.append(Recorded(replace(found, stream=of), places(frame)))
        return b"address %d" % found.address

    def _symbol(self, frame: Mapping[str, Any]) -> bytes:
        name, size = text(frame, "name"), number(frame, "size", COPY_LIMIT)
        with self.own_time():
            address = self.device.symbol(name)
        if address is None:
            return _NO_SYMBOL
        if all(extent.address != address for extent in self.extents):
            self.extents.append(Extent(name, address, size))
            self.validator.add(self.extents[-1])
        return b"address %d" % address

    def _read(self, frame: Mapping[str, Any]) -> bytes:
        address, size = number(frame, "address"), number(frame, "size", COPY_LIMIT)
        self._read_bytes += size
        self._reads += 1
        if self._read_bytes > COPY_LIMIT:
            message = f"solve() copies more than {COPY_LIMIT >> 20} MiB to the host"
            raise Ended(Stop(Verdict.MEMORY_LIMIT_EXCEEDED, message, at=places(frame)))
        of = stream(frame)
        self._recorded += [Recorded(step, places(frame)) for step in (Download(address, size, of), Synchronize(of))]
        self._validate()
        with self.own_time():
            try:
                data = self.device.read(self._left(), address, size)
            except RunnerStopped as stop:
                raise self._with_line(stop, places(frame)) from None
        self._executed = len(self._recorded)
        return data

    def _with_line(self, stop: RunnerStopped, at: tuple[int, ...]) -> RunnerStopped:
        """Adds the line of the copy if the copy itself faulted; a kernel's fault is left as it is."""
        if stop.run is None or stop.run.fault is None or stop.run.fault.line or stop.run.fault.kernel:
            return stop
        (line,) = self._lines([at])
        run = replace(stop.run, fault=replace(stop.run.fault, line=line))
        return RunnerStopped(stop.status, stop.message, stop.details, run)

    def _left(self) -> list[Step]:
        """The steps not yet executed, with their lines if a device may have to name them."""
        left = self._recorded[self._executed :]
        steps = [recorded.step for recorded in left]
        if not uses_streams(steps) and not any(isinstance(step, Free) for step in steps):
            return steps
        lines = self._lines([recorded.at for recorded in left])
        return [with_line(recorded.step, line) for recorded, line in zip(left, lines, strict=True)]

    def _end(self, frame: Mapping[str, Any]) -> None:
        self._errors = parse_errors(frame)
        failure = frame.get("failure")
        if failure is not None:
            raise Ended(failed_call(parse_error(failure)))
        self._validate()

    def _validate(self) -> None:
        """Checks the steps recorded since the last call."""
        new = [recorded.step for recorded in self._recorded[self._validated :]]
        try:
            self.validator.check(new)
        except InvalidPlan as error:
            self._refuse(error)
        self._validated += len(new)

    def _refuse(self, error: InvalidPlan) -> NoReturn:
        at = self._recorded[error.step].at if error.step < len(self._recorded) else ()
        message = f"the plan that solve() makes can't be replayed: {error.message}"
        raise Ended(Stop(Verdict.RUNTIME_ERROR, message, FaultClass.LAUNCH_FAILURE, at=at)) from None
