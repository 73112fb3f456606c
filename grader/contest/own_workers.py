"""The workers that a server starts beside itself: processes of `kgrade worker` that know this server alone.

They are let in by a token that the server keeps in memory, so it ends with the server, however that ends. They ask at a
port of their own on this machine: where the site listens, and which proxy stands before it, is nothing to them.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from grader.contest.auth import new_token, same
from grader.contest.listen import bound_socket
from grader.contest.records import ANY_GPU, IDLE, WorkerRecord
from grader.core.errors import DiskFull, KgradeError

if TYPE_CHECKING:
    from datetime import datetime

    from grader.contest.database import Database

OUT_OF_SERVICE = 3
"""What a worker ends with that took itself out: starting it again would not help."""
AGAIN_SECONDS = 5.0
SILENCE = 20.0
"""A worker that says nothing for so long is stuck, and another takes its place; its lease runs out meanwhile."""
PATIENCE = 15.0
"""How many seconds they have to end: a step of a grading may take as long."""
LOOPBACK = "127.0.0.1"
KIND = "server/"
"""How the names of all servers' own workers begin."""
SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
STARTING = 60.0
"""Its first sign comes when its program is loaded."""
log = logging.getLogger("kgrade.server")
FORGOTTEN = timedelta(hours=1)
"""How long staff still see another server's worker that is silent."""


@dataclass(frozen=True)
class Admission:
    """Lets a server's own workers in, under the name of that server."""

    name: str
    token: str = field(default_factory=new_token, repr=False)

    def worker(self, token: str, now: datetime) -> WorkerRecord | None:
        """Who asks, where the token is the own workers'."""
        return WorkerRecord(self.name, ANY_GPU, None, now, IDLE, "") if same(token, self.token) else None


class OwnWorkers:
    """A worker for each of `devices`; one that ends without need is started again.

    `port` is that of the site: with the machine's name it tells this server from others on the same database.
    """

    def __init__(
        self,
        database: Database,
        workspace: Path,
        devices: Sequence[str],
        port: int,
        *,
        no_sandbox: bool = False,
        silence: float = SILENCE,
    ) -> None:
        self._database, self._workspace, self._devices = database, workspace, devices
        self._more, self._silence = ["--no-sandbox"] if no_sandbox else [], silence
        self.admission = Admission(f"{KIND}{socket.gethostname()[:60]}:{port}")
        self.sockets = [bound_socket(LOOPBACK, 0)] if devices else []
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep, args=(str(number), device), daemon=True)
            for number, device in enumerate(devices, 1)
        ]
        self._running: set[subprocess.Popen[bytes]] = set()

    def __len__(self) -> int:
        return len(self._devices)

    def start(self) -> None:
        """Starts them, once the work of those that a killed server at this place left behind is free again."""
        # On a full disk the site can still be read, and leases run out by themselves.
        with suppress(DiskFull):
            self._database.lapse(self.admission.name)
            self._database.forget_workers(f"{self.admission.name}:")
            self._database.forget_workers(KIND, silent=FORGOTTEN)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends them, while the server still takes their last words, and gives back what one was killed with."""
        self._stopping.set()
        for process in list(self._running):
            with suppress(OSError):
                process.terminate()
        until = time.monotonic() + PATIENCE
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))
        for process in list(self._running):
            with suppress(OSError):
                process.kill()
        # Where the database fails now, the leases run out by themselves.
        with suppress(KgradeError):
            for claim in self._database.held_by(self.admission.name):
                self._database.queue.release(claim)
            self._database.forget_workers(f"{self.admission.name}:")

    def _keep(self, name: str, device: str) -> None:
        command = [sys.executable, "-m", "grader", "--workspace", str(self._workspace), "worker", "--until-eof"]
        command += ["--server", f"http://{LOOPBACK}:{self.sockets[0].getsockname()[1]}"]
        command += ["--name", name, "--device", device, "--token-file", "-", *self._more]
        while not self._stopping.is_set():
            # Away from the terminal's Ctrl-C, which the server passes on in order. The pipes end with the server.
            process = subprocess.Popen(
                command,
                env={name: value for name, value in os.environ.items() if name not in SECRETS},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._running.add(process)
            if self._stopping.is_set():
                process.terminate()
            answered = self._watch(process)
            ended = process.wait()
            self._running.discard(process)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            if ended == OUT_OF_SERVICE or (answered and self._stopping.wait(AGAIN_SECONDS)):
                return

    def _watch(self, process: subprocess.Popen[bytes]) -> bool:
        """Tells the worker its token, and waits for its end; one that falls silent is killed. Whether it did not."""
        assert process.stdin is not None and process.stdout is not None
        # By a pipe: a command line can be read by all, and an environment by every process of this user.
        with suppress(OSError):
            process.stdin.write(f"{self.admission.token}\n".encode())
            process.stdin.flush()
        silence = STARTING
        while select.select([process.stdout], [], [], silence)[0]:
            if not os.read(process.stdout.fileno(), 1 << 12):
                return True
            silence = self._silence
        log.warning("a worker of this server gave no sign for %.0f s and is replaced", silence)
        with suppress(OSError):
            process.kill()
        return False
