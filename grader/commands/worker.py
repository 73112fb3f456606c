"""`kgrade worker`: lets this machine judge for a contest's server."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from shlex import quote

import click

from grader.commands.engines import engines_of
from grader.commands.options import check_sandbox, device_option, no_sandbox_option, workspace_of
from grader.core.errors import UsageError

VARIABLES = ("KGRADE_TOKEN", "KGRADE_DATABASE")
"""Environment variables that hold secrets: judged code running as this user could read them in /proc."""
LONGEST_TOKEN_FILE = 1000


@click.command()
@click.option("--server", metavar="URL", help="The contest's server.")
@click.option("--token-file", metavar="FILE", help="Where the worker's token stands; - for a line of standard input.")
@click.option("--token", hidden=True)
@click.option("--gpu", type=click.IntRange(min=0), metavar="N", help="Judge on this GPU; the same as --device gpu:N.")
@device_option
@click.option("--name", metavar="NAME", help="What staff see. Default: the machine's name and the device.")
@no_sandbox_option
@click.option("--until-idle", type=click.FloatRange(min=1), metavar="SECONDS", help="End after so long without work.")
@click.option("--slurm", is_flag=True, help="Start workers as jobs of Slurm while submissions wait, not here.")
@click.option("--jobs", type=click.IntRange(1, 1000), default=4, show_default=True, help="With --slurm: at most.")
@click.option("--once", is_flag=True, help="With --slurm: submit that many jobs now, and end.")
@click.option("--sbatch", "options", multiple=True, metavar="OPTION", help="With --slurm: such as --gres=gpu:1.")
@click.option("--until-eof", is_flag=True, hidden=True, help="End with standard input, and say now and then: I live.")
@click.pass_context
def command(
    ctx: click.Context,
    server: str | None,
    token_file: str | None,
    token: str | None,
    gpu: int | None,
    device: str,
    name: str | None,
    no_sandbox: bool,
    until_idle: float | None,
    slurm: bool,
    jobs: int,
    once: bool,
    options: tuple[str, ...],
    until_eof: bool,
) -> int:
    """Let this machine judge for a contest's server, until Ctrl-C.

    It begins with a self-test, and takes itself out of service when its GPU fails. Start one for each GPU.

    With --slurm it submits jobs that do so when submissions wait, and that end without work (--until-idle, 60 s). The
    token's file has to be on a disk that the nodes see.
    """
    from grader.contest.client import WorkerClient
    from grader.contest.descendants import adopt_orphans
    from grader.contest.explainer import Explainer
    from grader.contest.grading_process import GradingProcess
    from grader.contest.worker import Worker
    from grader.run.devices import choose_device

    _refuse_leaks(token)
    if server is None:
        raise UsageError("whom to judge for is not said", "type: kgrade worker --server URL --token-file FILE")
    if token_file is None:
        raise UsageError(
            "a worker needs a token", "staff make one: kgrade contest worker NAME; then give --token-file FILE"
        )
    if not slurm and (once or options):
        raise UsageError("--once and --sbatch are for jobs of Slurm", "add --slurm, or leave them out")
    if slurm:
        from grader.commands.slurm_workers import run_in_slurm
        from grader.contest.slurm import SlurmJobs, shared_file

        arguments = ["--device", device if gpu is None else f"gpu:{gpu}", *(["--no-sandbox"] if no_sandbox else [])]
        arguments += ["--until-idle", f"{until_idle or 60:g}"]
        work = SlurmJobs.of_worker(workspace_of(ctx).root, server, shared_file(token_file), arguments, options)
        with closing(WorkerClient(server, read_token(token_file))) as client:
            return run_in_slurm(work, client, jobs=jobs, once=once)
    check_sandbox(engines_of(ctx).sandbox(), no_sandbox)
    client = WorkerClient(server, read_token(token_file))
    device = device if gpu is None else f"gpu:{gpu}"
    tick = _say_that_it_lives if until_eof else _say_nothing
    adopt_orphans()
    judge = GradingProcess(workspace_of(ctx).root, device, sandboxed=not no_sandbox, adopts=True)
    worker = Worker(
        client,
        name or f"{socket.gethostname()}/{device}",
        choose_device(device).name,
        judge,
        lambda: judge.self_test(_saying_once(tick)),
        say=lambda text: click.echo(text, err=True),
        tick=tick,
        aside=Explainer(client, judge.explain),
        until_idle=until_idle,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if until_eof:
        _at_end_of_input(worker.stop)
    try:
        return 3 if worker.run() else 0
    finally:
        judge.close()


def _refuse_leaks(token: str | None) -> None:
    """Raises UsageError if a secret is where other processes can read it."""
    if token is not None:
        raise UsageError(
            "--token shows the token to everybody who lists this machine's processes",
            "write it into a file: (umask 077; cat >worker.token), then give --token-file worker.token",
        )
    for variable in VARIABLES:
        if variable in os.environ:
            raise UsageError(
                f"{variable} is set: processes of this user can read it as long as the worker runs",
                f"type: unset {variable}; a worker needs a token alone: --token-file FILE",
            )


def read_token(place: str) -> str:
    """Reads the token from a file readable only by its owner, or from a line of standard input."""
    if place == "-":
        # Byte by byte, so that nothing after the line is consumed.
        line = b""
        while len(line) <= LONGEST_TOKEN_FILE and (byte := os.read(0, 1)) not in (b"", b"\n"):
            line += byte
        return line.decode("ascii", "replace").strip()
    try:
        with Path(place).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(LONGEST_TOKEN_FILE)
    except OSError as error:
        raise UsageError(f"{place} can't be read: {error.strerror}", "give --token-file FILE") from None
    if mode & 0o077:
        raise UsageError(f"others on this machine can read {place}", f"type: chmod 600 {quote(place)}")
    return data.decode("ascii", "replace").strip()


def _saying_once(tick: Callable[[], None]) -> Callable[[str], None]:
    """Shows each text of the self-test's progress once: the same one comes again as a sign of life."""
    shown = {"beginning"}

    def progress(text: str) -> None:
        tick()
        if text not in shown:
            shown.add(text)
            click.echo(text, err=True)

    return progress


def _say_nothing() -> None:
    """The tick of a worker that no server supervises."""


def _say_that_it_lives() -> None:
    # If the server has ended nobody reads this, and this worker ends too.
    with suppress(OSError):
        os.write(1, b".")


def _at_end_of_input(do: Callable[[], None]) -> None:
    # Not on descriptor 0, which programs started by a grading would inherit, and not through sys.stdin, whose lock no
    # thread may hold when Python exits.
    pipe = os.dup(0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)

    def wait() -> None:
        while os.read(pipe, 1):
            pass
        do()

    threading.Thread(target=wait, daemon=True).start()
