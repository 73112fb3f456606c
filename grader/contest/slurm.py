"""Workers as jobs of Slurm: the job's script, how it is submitted, and how many jobs a queue of this length needs.

A job ends by itself when there is no work. Slurm decides where and when it runs; the server knows nothing of Slurm.
"""

from __future__ import annotations

import getpass
import hashlib
import math
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import join, quote

from grader.core.errors import JudgeError, KgradeError, ToolMissing, UsageError

PER_JOB = 4
"""How many waiting submissions make one worker worth its start, which takes some seconds."""
COMMAND_SECONDS = 60.0


@dataclass(frozen=True)
class SlurmJobs:
    """Jobs that run `kgrade` with `arguments`, each submitted with sbatch's `options`."""

    server: str
    arguments: Sequence[str]
    options: Sequence[str] = ()

    @classmethod
    def of_worker(
        cls, workspace: Path, server: str, token_file: Path, arguments: Sequence[str], options: Sequence[str]
    ) -> SlurmJobs:
        """Jobs that run `kgrade worker` for this server, with further `arguments`."""
        command = ["--workspace", str(workspace.absolute()), "worker", "--server", server]
        return cls(server, [*command, "--token-file", str(token_file), *arguments], options)

    @property
    def name(self) -> str:
        """The jobs' name, the same for all of one server."""
        return f"kgrade-{hashlib.sha256(self.server.encode()).hexdigest()[:10]}"

    def script(self) -> str:
        """The job's script; the worker takes the shell's place, so that Slurm's signals reach it."""
        # A node's environment may hold secrets of the login node, which sbatch would pass on.
        return (
            f"#!/bin/sh\n#SBATCH --job-name={self.name}\n#SBATCH --export=PATH,HOME,USER,KGRADE_CACHE,PYTHONPATH\n"
            f"#SBATCH --output=kgrade-worker-%j.log\n"
            f"exec {join([sys.executable, '-m', 'grader', *self.arguments])}\n"
        )

    def submit(self) -> str:
        """Submits a job and returns its number. Raises a KgradeError if Slurm refuses it."""
        return _run(["sbatch", "--parsable", *self.options], self.script()).strip().partition(";")[0]

    def count(self) -> int:
        """How many of these jobs wait or run."""
        command = ["squeue", "--noheader", "--format=%A", f"--name={self.name}", f"--user={getpass.getuser()}"]
        return len(_run([*command, "--states=PENDING,CONFIGURING,RUNNING"]).split())


def jobs_to_start(waiting: int, active: int, most: int) -> int:
    """How many jobs to start when `active` ones wait or run, and `waiting` submissions wait for a worker."""
    return max(0, min(most, math.ceil(waiting / PER_JOB)) - active)


def follow(
    jobs: SlurmJobs,
    waiting: Callable[[], int],
    most: int,
    stop: threading.Event,
    say: Callable[[str], None],
    seconds: float = 5.0,
) -> None:
    """Starts jobs as the queue grows, at most `most` at once, until `stop`. Errors that waiting mends are told."""
    while not stop.is_set():
        try:
            there = waiting()
            # Slurm is asked only if there is something to do.
            for _ in range(jobs_to_start(there, jobs.count(), most) if there else 0):
                say(f"{there} waiting: started job {jobs.submit()}")
        except KgradeError as error:
            if isinstance(error, UsageError):
                raise
            say(f"{error.message}; trying again")
        stop.wait(seconds)


def require_slurm() -> None:
    """Raises ToolMissing where Slurm's commands are missing."""
    if missing := [name for name in ("sbatch", "squeue") if shutil.which(name) is None]:
        raise ToolMissing(f"{missing[0]} is not here", "type this on a login node; elsewhere without --slurm")


def shared_file(place: str) -> Path:
    """The absolute path of a token's file, which the nodes have to see too."""
    if place == "-":
        raise UsageError("a job can't read a token from standard input", "give --token-file FILE, on a shared disk")
    return Path(place).absolute()


def _run(command: Sequence[str], text: str = "") -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise JudgeError(f"{command[0]} gives no answer", "see that Slurm's controller runs: scontrol ping") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        why = said[0] if said else f"it ended with {done.returncode}"
        raise JudgeError(f"{quote(command[0])} failed: {why}", "see that Slurm's controller runs: scontrol ping")
    return done.stdout
