"""Recording: calls a submission's solve() once in a sandboxed process and turns its CUDA calls into a Plan.

The process holds no data and no GPU: arrays are mere addresses to it, and the judge answers its copies to the host as
they come. Its messages are parsed by grader.plan.frames and checked by grader.plan.validate.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader.compile.program import Program
from grader.core.limits import SOLVE_SECONDS
from grader.core.plan import Plan, with_line
from grader.plan.device_table import DeviceTable
from grader.plan.frames import Line
from grader.plan.host_lines import source_lines
from grader.plan.recorder_build import build_recorder
from grader.plan.recorder_call import END_SECONDS, LIMITS, Call, Ended
from grader.plan.recording import Argument, Recording
from grader.plan.runner import DeviceMemory
from grader.plan.stopped import RecordingStopped, told_with_line
from grader.sandbox import Sandbox

__all__ = ["Argument", "Recording", "RecordingStopped", "lines_of", "record", "with_lines"]


def record(
    program: Program,
    arguments: Sequence[Argument],
    properties: DeviceTable,
    device: DeviceMemory,
    sandbox: Sandbox,
    cache: Path,
    seconds: float = SOLVE_SECONDS,
) -> Recording:
    """Calls solve() once with these arguments. `device` provides scratch and the data copied to the host.

    Raises RecordingStopped for an outcome of the submission, JudgeError if the recorder can't be built or
    started, and what `device` raises.
    """
    started = time.perf_counter()
    recorder = _built(cache)
    with _shown(recorder, program.shared_object) as (executable, library):
        judge, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with judge, theirs:
            process = sandbox.start([str(executable)], readable=[executable.parent], channel=theirs, limits=LIMITS)
            theirs.close()
            with process:
                call = Call(program, arguments, properties, device, process, Line(judge, seconds), seconds, sandbox)
                try:
                    call.run(library)
                except Ended as end:
                    printed = process.wait(0.0).output
                    line, earlier = source_lines(program, (end.stop.at, end.stop.earlier), sandbox)
                    raise RecordingStopped(told_with_line(end.stop, earlier), line, printed) from None
                printed = process.wait(END_SECONDS).output
    return call.recording(time.perf_counter() - started, printed)


def lines_of(program: Program, recording: Recording, sandbox: Sandbox) -> tuple[int | None, ...]:
    """The source line of each step of the plan; None if unknown."""
    return tuple(source_lines(program, recording.at, sandbox))


def with_lines(program: Program, recording: Recording, sandbox: Sandbox) -> Recording:
    """Returns the recording with the source lines set in its steps."""
    lines = lines_of(program, recording, sandbox)
    steps = (with_line(step, line) for step, line in zip(recording.plan.steps, lines, strict=True))
    return replace(recording, plan=Plan(tuple(steps)))


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
