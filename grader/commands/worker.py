"""`kgrade worker`: let this machine judge for a contest's server."""

from __future__ import annotations

import os
import signal
import socket
from typing import TYPE_CHECKING

import click

from grader.commands.options import device_option, workspace_of
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.jobs import WorkSource

SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
"""Environment variables that no process of a grading may find."""


@click.command()
@click.option("--server", metavar="URL", help="The contest's server.")
@click.option("--token", metavar="TOKEN", help="The worker's token. Default: the environment's KGRADE_TOKEN.")
@click.option("--database", metavar="URL", help="Take the work from the database itself instead of a server.")
@click.option("--gpu", type=click.IntRange(min=0), metavar="N", help="Judge on this GPU; the same as --device gpu:N.")
@device_option
@click.option("--name", metavar="NAME", help="What staff see. Default: the machine's name and the device.")
@click.pass_context
def command(
    ctx: click.Context,
    server: str | None,
    token: str | None,
    database: str | None,
    gpu: int | None,
    device: str,
    name: str | None,
) -> int:
    """Let this machine judge for a contest's server, until Ctrl-C.

    It begins with a self-test, and takes itself out of service when its GPU fails. Start one for each GPU.
    """
    from grader.contest.judging import MachineJudge
    from grader.contest.worker import Worker

    found = {variable: os.environ.pop(variable, None) for variable in SECRETS}
    source = _source(server, token or found["KGRADE_TOKEN"], database or found["KGRADE_DATABASE"])
    device = device if gpu is None else f"gpu:{gpu}"
    judge = MachineJudge(workspace_of(ctx), device)
    name = name or f"{socket.gethostname()}/{device}"
    worker = Worker(source, name, judge.gpu_model, judge, judge.self_test, say=lambda text: click.echo(text, err=True))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    return 3 if worker.run() else 0


def _source(server: str | None, token: str | None, database: str | None) -> WorkSource:
    if server is None:
        if database is None:
            raise UsageError("whom to judge for is not said", "type: kgrade worker --server URL --token TOKEN")
        from grader.contest.database import Database

        return Database(database).queue
    if token is None:
        raise UsageError(
            "a worker needs a token", "staff make one: kgrade contest worker NAME; then give --token TOKEN"
        )
    from grader.contest.client import WorkerClient

    return WorkerClient(server, token)
