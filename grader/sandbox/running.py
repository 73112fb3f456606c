"""The interface of a running process for those who wait for it, however it was started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import IO, Protocol

_BY_SIGNAL = 128


class Running(Protocol):
    """A started process. `returncode` is known after `wait`: an exit code, or a negative signal number.

    `in_namespace` says whether the kernel ends everything that it started shortly after it.
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
        """Waits at most `seconds`; returns whether it ended. Frees nothing."""

    def wait(self) -> None:
        """Waits for its end and frees its resources; to be called once."""


class Spawned:
    """A program started in its own process group; `status` is where bubblewrap, if used, reports its end."""

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
        # Not reaped, because its group still has to be killed by this id.
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
            # bubblewrap's exit code for a program ended by a signal.
            code = _BY_SIGNAL - code if code > _BY_SIGNAL else code
        self.returncode = code
