"""A process that runs, as the one that waits for it sees it: however it was started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import IO, Protocol

_BY_SIGNAL = 128


class Running(Protocol):
    """A started process. `returncode` is known after `wait`: an exit code, or a signal's number below zero.

    `in_namespace` says whether what it has started ends with it by the system's doing, a moment later.
    """

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int: ...

    @property
    def in_namespace(self) -> bool: ...

    def kill(self) -> None:
        """Kills it with everything that it started, without waiting."""

    def ends_within(self, seconds: float) -> bool:
        """Waits so long at most, and frees nothing."""

    def wait(self) -> None:
        """Waits for its end, and frees what was kept of it; once."""


class Spawned:
    """A program started in a process group of its own; `status` is where bubblewrap tells of it, if it started it."""

    def __init__(self, process: subprocess.Popen[bytes], status: IO[bytes] | None = None) -> None:
        self.returncode = 0
        self._process, self._status = process, status

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def in_namespace(self) -> bool:
        return self._status is not None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def ends_within(self, seconds: float) -> bool:
        # Not reaped: its group is still to be killed under this number.
        until = time.monotonic() + seconds
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def wait(self) -> None:
        code = self._process.wait()
        if self._status is not None:
            self._status.close()
            # bubblewrap's word for a program that a signal ended.
            code = _BY_SIGNAL - code if code > _BY_SIGNAL else code
        self.returncode = code
