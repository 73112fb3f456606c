"""A program that runs in a sandbox: waits for its end, collects its output, and kills all its processes.

The output is only for display: it is truncated and must not be parsed.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import IO

from grader.core.errors import JudgeError

_GONE_SECONDS = 5.0
"""How long killed processes may take to disappear. The kernel needs milliseconds."""

_REPORT_LIMIT = 4096


@dataclass(frozen=True)
class Ended:
    """How a program ended: by itself with `returncode`, by a `signal`, or `timed_out` and killed.

    `output` is the beginning of its combined standard output and standard error.
    """

    returncode: int
    signal: signal.Signals | None
    timed_out: bool
    output: str

    @property
    def ok(self) -> bool:
        return self.returncode == 0 and not self.timed_out


class SandboxedProcess:
    """A started program. It ends at the latest with `close` or with the thread that started it.

    `status` is where bubblewrap reports the program's own end; None if the process is the program itself.
    """

    def __init__(self, process: subprocess.Popen[bytes], status: IO[bytes] | None, output_bytes: int) -> None:
        self._process = process
        self._status = status
        self._limit = output_bytes
        self._kept = bytearray()
        self._report = b""
        self._ended: Ended | None = None
        # Without a reader the program would block as soon as the pipe is full.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def running(self) -> bool:
        if self._process.returncode is not None:
            return False
        # Not poll(), which would reap the process and free the id that close() still needs for the group.
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self, seconds: float) -> Ended:
        """Waits for its end, killing it after `seconds`. Afterwards none of its processes runs any more.

        Raises JudgeError if the sandbox itself could not be created.
        """
        if self._ended is None:
            timed_out = not self._ends_within(seconds)
            self.close()
            self._ended = self._describe(timed_out)
        return self._ended

    def kill(self) -> None:
        """Kills the program and everything that it started."""
        # With bubblewrap this kills the namespace's first process, and with it the kernel kills all others.
        if self._process.returncode is None:
            # A process that is itself confined by Landlock has no group to kill; the judge kills all.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kills what still runs, and waits until it is gone. Closing twice is allowed."""
        if self._process.returncode is not None:
            return
        self.kill()
        self._process.wait()
        # Every process inside holds the pipe, so its end shows theirs; without a sandbox, one may have closed it.
        self._reader.join(_GONE_SECONDS)
        if self._status is not None:
            with self._status as status:
                self._report = os.read(status.fileno(), _REPORT_LIMIT)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _ends_within(self, seconds: float) -> bool:
        if self._process.returncode is not None:
            return True
        # Popen.wait() polls every 50 ms, as long as many programs run.
        descriptor = os.pidfd_open(self._process.pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return bool(poll.poll(max(0.0, seconds) * 1000))
        finally:
            os.close(descriptor)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while data := os.read(pipe.fileno(), 1 << 16):
                self._kept += data[: max(0, self._limit - len(self._kept))]

    def _describe(self, timed_out: bool) -> Ended:
        output = bytes(self._kept).decode(errors="replace")
        if timed_out:
            return Ended(-signal.SIGKILL, signal.SIGKILL, True, output)
        code = self._process.returncode
        if self._status is not None and exit_code_of(self._report) is None and code >= 0:
            raise JudgeError("the sandbox could not be made", output.strip())
        # Shells and bubblewrap report a signal as 128 plus its number.
        number = -code if code < 0 else code - 128
        named = signal.Signals(number) if number in set(signal.Signals) else None
        return Ended(code, named, False, output)


def exit_code_of(report: bytes) -> int | None:
    """The program's exit code, from what bubblewrap has reported; None if it has not come to that.

    Where bubblewrap was killed meanwhile, the last line may be cut off.
    """
    lines = report[: report.rfind(b"\n") + 1].splitlines()
    code = json.loads(lines[-1]).get("exit-code") if lines else None
    return code if isinstance(code, int) else None
