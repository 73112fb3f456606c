"""A private PostgreSQL server in a folder, which benchmarks and tests can kill and restart."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

INSTALL = "install it: apt-get install postgresql"


def find_programs() -> Path | None:
    """The folder of initdb and postgres; Debian keeps them off the PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists() and (folder / "initdb").exists()), None)


class PostgresServer:
    """A server on 127.0.0.1. PostgreSQL refuses to run as root, which becomes another user for it.

    Unless `flushed`, it waits for no disk: quicker, and as safe against kills, though not against a power cut.
    """

    def __init__(self, folder: Path, programs: Path, *, flushed: bool = True) -> None:
        self.folder, self._programs, self._flushed = folder, programs, flushed
        self._user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        folder.mkdir(parents=True, exist_ok=True)
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"postgresql+psycopg://kgrade@127.0.0.1:{self.port}/postgres"
        initdb = [programs / "initdb", "-D", folder / "data", "-U", "kgrade", "--auth=trust", "-E", "UTF8", "-N"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, **self._as())
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts the server, after a kill once the last of its processes has gone, and waits until it answers."""
        deadline = time.monotonic() + 60
        while True:
            command = [self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder]
            command += ["-h", "127.0.0.1", "-p", str(self.port)]
            command += [] if self._flushed else ["-c", "fsync=off"]
            with (self.folder / "log").open("ab") as log:
                self._process = subprocess.Popen(
                    command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, **self._as()
                )
            while self._process.poll() is None:
                ready = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
                if subprocess.run(ready, check=False).returncode == 0:
                    return
                time.sleep(0.05)
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def kill(self) -> None:
        """Ends all of the server's processes with SIGKILL, as a crash of the machine would."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGSTOP)
            children = subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(self._process.pid)], capture_output=True, text=True, check=False
            ).stdout.split()
            for number in (*map(int, children), self._process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _as(self) -> dict[str, int]:
        return {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid}
