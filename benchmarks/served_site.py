"""`kgrade serve` as a process of its own, in a new workspace and with one worker on the emulator.

Benchmarks and tests look at it with a browser.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.contest.database import Database
from grader.contest.records import IDLE

REPOSITORY = Path(__file__).resolve().parent.parent
OWNER = "Grace Hopper"
STARTING = 180.0
"""Seconds until its worker may have graded a worked submission, on a busy machine."""


@dataclass(frozen=True)
class Served:
    """The site's address, its workspace and its database."""

    address: str
    workspace: Path
    database: Database


def new_workspace(folder: Path) -> Database:
    """Makes the workspace's folders, and opens its database for what has to be there before the server is."""
    for name in ("problems", "submissions"):
        (folder / name).mkdir(parents=True)
    (folder / "contests").mkdir()
    return Database(str(folder / "contests" / "contests.db"))


@contextmanager
def served(folder: Path, database: Database, *options: str) -> Iterator[Served]:
    """The site, once its worker waits for work. `options` are of `kgrade serve`."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "grader", "--workspace", str(folder), "serve", "--port", str(port)]
    command += ["--workers", "1", "--device", "emulator", "--user", OWNER, *options]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    environment.pop("KGRADE_DATABASE", None)
    log = folder / "serve.log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    try:
        until = time.monotonic() + STARTING
        while not any(each.state == IDLE for each in database.present_workers()):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"the server did not come up:\n{log.read_text(errors='replace')}")
            time.sleep(0.2)
        yield Served(f"http://127.0.0.1:{port}", folder, database)
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
