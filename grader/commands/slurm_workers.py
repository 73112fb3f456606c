"""`kgrade worker --slurm`: submits workers as jobs, once or as the server's queue grows."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.contest.client import WorkerClient
    from grader.contest.slurm import SlurmJobs


def run_in_slurm(work: SlurmJobs, client: WorkerClient, *, jobs: int, once: bool) -> int:
    """Submits `jobs` jobs now if `once`, else as many as the queue needs and at most `jobs` at a time."""
    from grader.contest.slurm import follow, require_slurm

    require_slurm()
    # Whether the address and the token are right is told here and not in a job's log.
    waiting = client.waiting()
    if once:
        for _ in range(jobs):
            click.echo(f"submitted job {work.submit()}")
        return 0
    click.echo(f"{waiting} waiting at {client.address}; at most {jobs} jobs. Ctrl-C ends this, and no job.", err=True)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    follow(work, client.waiting, jobs, stop, lambda text: click.echo(text, err=True))
    return 0
