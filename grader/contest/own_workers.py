"""The server's own workers: `kgrade worker` processes that the server starts and that know this server only.

They authenticate with a token that the server keeps only in memory, so that it dies with the server. They connect to a
separate loopback port, independent of the site's address and of proxies.
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
"""Exit code of a worker that took itself out of service; restarting it would not help."""
AGAIN_SECONDS = 5.0
SILENCE = 20.0
"""A worker silent for this many seconds is stuck and is replaced; its lease expires meanwhile."""
PATIENCE = 15.0
"""Seconds that workers get to stop: a step of a grading may take as long."""
LOOPBACK = "127.0.0.1"
KIND = "server/"
"""Prefix of the names of servers' own workers."""
SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
STARTING = 60.0
"""Seconds until its first sign of life, when its program has loaded."""
log = logging.getLogger("kgrade.server")
FORGOTTEN = timedelta(hours=1)
"""How long staff still see a silent worker of another server."""


@dataclass(frozen=True)
class Admission:
    """Authenticates a server's own workers, under the name of that server."""

    name: str
    token: str = field(default_factory=new_token, repr=False)

    def worker(self, token: str, now: datetime) -> WorkerRecord | None:
        """The worker, if `token` is that of the server's own workers; else None."""
        return WorkerRecord(self.name, ANY_GPU, None, now, IDLE, "") if same(token, self.token) else None


class OwnWorkers:
    """A worker for each of `devices`; one that ends unexpectedly is restarted.

    `port` is the site's: with the machine's name it distinguishes this server from others on the same database.
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
        """Frees the work left behind by a killed server with the same name, then starts the workers."""
        # On a full disk the site still works read-only, and leases expire by themselves.
        with suppress(DiskFull):
            self._database.lapse(self.admission.name)
            self._database.forget_workers(f"{self.admission.name}:")
            self._database.forget_workers(KIND, silent=FORGOTTEN)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stops the workers while the server still accepts their requests, and releases what killed ones held."""
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
        # If the database fails now, the leases expire by themselves.
        with suppress(KgradeError):
            for claim in self._database.held_by(self.admission.name):
                self._database.queue.release(claim)
            self._database.forget_workers(f"{self.admission.name}:")

    def _keep(self, name: str, device: str) -> None:
        command = [sys.executable, "-m", "grader", "--workspace", str(self._workspace), "worker", "--until-eof"]
        command += ["--server", f"http://{LOOPBACK}:{self.sockets[0].getsockname()[1]}"]
        command += ["--name", name, "--device", device, "--token-file", "-", *self._more]
        while not self._stopping.is_set():
            # Not affected by the terminal's Ctrl-C: the server stops workers in order. The pipes end with the server.
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
            if ended == OUT_OF_SERVICE or self._stopping.is_set():
                return
            # Known here at once, without waiting for its lease; if the database fails now, that expires by itself.
            with suppress(KgradeError):
                self._database.worker_ended(f"{self.admission.name}:{name}")
            if answered and self._stopping.wait(AGAIN_SECONDS):
                return

    def _watch(self, process: subprocess.Popen[bytes]) -> bool:
        """Sends the worker its token and waits for its end; returns False if it fell silent and was killed."""
        assert process.stdin is not None and process.stdout is not None
        # Through a pipe: all users can read a command line, and all processes of this user an environment.
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
