"""`kgrade worker`: let this machine judge for a contest's server."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import click

from grader.commands.options import device_option, workspace_of
from grader.errors import UsageError

SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
"""Environment variables that no process of a grading may find."""


@click.command()
@click.option("--server", metavar="URL", help="The contest's server.")
@click.option("--token", metavar="TOKEN", help="The worker's token. Default: the environment's KGRADE_TOKEN.")
@click.option("--gpu", type=click.IntRange(min=0), metavar="N", help="Judge on this GPU; the same as --device gpu:N.")
@device_option
@click.option("--name", metavar="NAME", help="What staff see. Default: the machine's name and the device.")
@click.option("--until-eof", is_flag=True, hidden=True, help="End with standard input: with what started it.")
@click.pass_context
def command(
    ctx: click.Context,
    server: str | None,
    token: str | None,
    gpu: int | None,
    device: str,
    name: str | None,
    until_eof: bool,
) -> int:
    """Let this machine judge for a contest's server, until Ctrl-C.

    It begins with a self-test, and takes itself out of service when its GPU fails. Start one for each GPU.
    """
    from grader.contest.client import WorkerClient
    from grader.contest.judging import MachineJudge
    from grader.contest.worker import Worker

    found = {variable: os.environ.pop(variable, None) for variable in SECRETS}
    token = token or found["KGRADE_TOKEN"]
    if server is None:
        raise UsageError("whom to judge for is not said", "type: kgrade worker --server URL --token TOKEN")
    if token is None:
        raise UsageError(
            "a worker needs a token", "staff make one: kgrade contest worker NAME; then give --token TOKEN"
        )
    client = WorkerClient(server, token)
    device = device if gpu is None else f"gpu:{gpu}"
    judge = MachineJudge(workspace_of(ctx), device)
    name = name or f"{socket.gethostname()}/{device}"
    worker = Worker(client, name, judge.gpu_model, judge, judge.self_test, say=lambda text: click.echo(text, err=True))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if until_eof:
        _at_end_of_input(worker.stop)
    return 3 if worker.run() else 0


def _at_end_of_input(do: Callable[[], None]) -> None:
    # Away from descriptor 0, where programs that a grading starts would find it, and not by sys.stdin, whose lock no
    # thread may hold when Python ends.
    pipe = os.dup(0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)

    def wait() -> None:
        while os.read(pipe, 1):
            pass
        do()

    threading.Thread(target=wait, daemon=True).start()
