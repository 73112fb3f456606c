"""Recording: calls a submission's solve() once in a sandboxed process and turns its CUDA calls into a Plan.

The process holds no data and no GPU: arrays are mere addresses to it, and the judge answers its copies to the host as
they come. Its messages are parsed by grader.plan.frames and checked by grader.plan.validate.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError
from grader.compile.program import Kernel, Program
from grader.core.limits import SOLVE_SECONDS
from grader.core.report import Diagnostic
from grader.plan.device_table import DeviceTable
from grader.plan.frames import Line
from grader.plan.host_lines import source_lines
from grader.plan.limits import COPY_LIMIT, MOST_STEPS
from grader.plan.recorder_build import build_recorder
from grader.plan.recorder_call import Call, Ended
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.stopped import RecordingStopped, Stop, stop_of_death, told_with_line, took_too_long
from grader.sandbox import Sandbox, SandboxedProcess, SandboxLimits

LIMITS = SandboxLimits(memory=1_500_000_000, cpu_seconds=5, file_bytes=0, processes=64, descriptors=64)

END_SECONDS = 1.0
"""Time for the process to exit after its last message."""

_UNKNOWN = KernelFacts("", (), registers=32, shared_bytes=0, local_bytes=0, max_threads=1024)
"""Facts assumed for a kernel without machine code."""


class LibraryRecorder:
    """Records a program whose host code is a shared library. Each call of solve() has a process of its own, which may
    take `seconds`. `cache` is the folder of all caches."""

    def __init__(self, program: Program, sandbox: Sandbox, cache: Path, seconds: float = SOLVE_SECONDS) -> None:
        self.program = program
        self._sandbox = sandbox
        self._cache = cache
        self._seconds = seconds

    separate = True

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        return self.program.kernels

    def record(self, arguments: Sequence[Argument], properties: DeviceTable, device: DeviceMemory) -> Recording:
        return self.record_series((arguments,), properties, device)

    def record_series(
        self, calls: Sequence[Sequence[Argument]], properties: DeviceTable, device: DeviceMemory
    ) -> Recording:
        """Calls solve() with each of these lists of arguments, in one process.

        `device` provides scratch and the data copied to the host. Raises RecordingStopped for an outcome of the
        submission, JudgeError if the recorder can't be built or started, and what `device` raises.
        """
        started = time.perf_counter()
        recorder = _built(self._cache)
        with _shown(recorder, self.program.shared_object) as (executable, library):
            judge, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            with judge, theirs:
                readable = [executable.parent]
                process = self._sandbox.start([str(executable)], readable=readable, channel=theirs, limits=LIMITS)
                theirs.close()
                with process:
                    running = _Running(process, Line(judge, self._seconds), self._seconds)
                    given = [argument for arguments in calls for argument in arguments]
                    call = Call(self.program.kernels, given, properties, device, running, self.lines, len(calls))
                    try:
                        running.send(self._setting(library, calls, properties))
                        call.run()
                    except Ended as end:
                        printed = process.wait(0.0).output
                        line, earlier = self.lines([end.stop.at, end.stop.earlier])
                        stop = told_with_line(end.stop, earlier)
                        raise RecordingStopped(stop, line, printed, call.begun()) from None
                    printed = process.wait(END_SECONDS).output
        return call.recording(time.perf_counter() - started, printed)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        return ()

    def start_anew(self) -> None:
        """Nothing: each call has a process of its own."""

    def forget(self) -> None:
        """Nothing, for the same reason."""

    def lines(self, calls: Sequence[Sequence[int]]) -> list[int | None]:
        """The source line of each call, given by its stack as in `Recording.at`; None if unknown."""
        return source_lines(self.program, calls, self._sandbox)

    def _setting(self, library: Path, calls: Sequence[Sequence[Argument]], table: DeviceTable) -> bytes:
        """The first message, one setting per line, as grader/plan/recorder/main.cpp reads it."""
        rows = [f"library {library}", f"device {table.total_memory} {table.name}"]
        rows += [f"attribute {which} {value}" for which, value in table.attributes.items()]
        for arguments in calls:
            rows += ["call", *(f"argument {argument.kind} {argument.bits}" for argument in arguments)]
            rows += [f"array {one.name} {one.bits} {one.size}" for one in arguments if one.size]
        known = _facts(self.program.cubin)
        for kernel in self.program.kernels:
            facts = known.get(kernel.symbol, _UNKNOWN)
            numbers = (facts.registers, facts.shared_bytes, facts.local_bytes, facts.max_threads, *facts.cluster)
            rows.append(" ".join(map(str, ["kernel", kernel.symbol, *numbers, *kernel.parameter_bytes])))
        rows += [f"limits {MOST_STEPS} {COPY_LIMIT}"]
        return "\n".join(rows).encode()


class _Running:
    """A recorder's process and the channel to it, as grader.plan.recorder_call sees them."""

    def __init__(self, process: SandboxedProcess, line: Line, seconds: float) -> None:
        self.send, self.receive, self.wait_longer = line.send, line.receive, line.wait_longer
        self._process = process
        self._seconds = seconds

    def end_late(self) -> Stop:
        self._process.kill()
        return took_too_long(self._seconds)

    def explain_death(self) -> Stop:
        return stop_of_death(self._process.wait(END_SECONDS), LIMITS.cpu_seconds, self._seconds)


@lru_cache(maxsize=4)
def _facts(cubin: bytes) -> Mapping[str, KernelFacts]:
    try:
        return read_cubin(cubin) if cubin else {}
    except ElfError:
        return {}


@lru_cache(maxsize=4)
def _built(cache: Path) -> Path:
    return build_recorder(cache)


@contextmanager
def _shown(recorder: Path, library: bytes) -> Iterator[tuple[Path, Path]]:
    """Puts recorder and library in a folder that other users can read, because the sandbox may run as another user."""
    with tempfile.TemporaryDirectory(prefix="kgrade-") as name:
        folder = Path(name).resolve()
        executable, file = folder / "recorder", folder / "library.so"
        shutil.copyfile(recorder, executable)
        file.write_bytes(library)
        for path in (folder, executable, file):
            path.chmod(0o755)
        yield executable, file
