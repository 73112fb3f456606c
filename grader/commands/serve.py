"""`kgrade serve`: the site of this workspace's contests, with workers of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from grader.commands.options import device_option, workspace_of
from grader.errors import ToolMissing

if TYPE_CHECKING:
    from grader.contest.database import Database

OUT_OF_SERVICE = 3
"""What a worker ends with that took itself out: starting it again would not help."""
AGAIN_SECONDS = 5.0


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="0.0.0.0: for other machines too.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, metavar="PORT")
@click.option("--database", metavar="URL", help="Default: KGRADE_DATABASE, or contests/contests.db in the workspace.")
@click.option(
    "--workers", type=click.IntRange(0, 64), metavar="N", help="Own workers. Default: one for each GPU, or one."
)
@device_option
@click.option(
    "--forwarded-by",
    default="127.0.0.1",
    show_default=True,
    metavar="HOSTS",
    help="Proxies whose word is taken for who asks, and whether by https.",
)
@click.pass_context
def command(
    ctx: click.Context, host: str, port: int, database: str | None, workers: int | None, device: str, forwarded_by: str
) -> int:
    """Serve the contests of this workspace until Ctrl-C, and judge what is submitted."""
    try:
        from grader.contest.listen import bound_socket, make_server
        from grader.contest.server import create_app
    except ModuleNotFoundError as error:
        raise ToolMissing(f"the server needs {error.name}", "type: pip install 'kgrade[server]'") from error
    from grader.contest.database import Database, default_url
    from grader.contest.definitions import defined, publish

    workspace = workspace_of(ctx)
    url = default_url(workspace, database)
    store = Database(url)
    store.clock.check(store.newest())
    for slug in defined(workspace):
        settings = publish(store, workspace, slug, who="kgrade serve")
        click.echo(f"{slug}: {settings.title}, {settings.start:%Y-%m-%d %H:%M} to {settings.end:%Y-%m-%d %H:%M %Z}")
    _warn_of_others(store)
    listening = bound_socket(host, port)
    app = create_app(store, workspace)
    server = make_server(app, forwarded_by=forwarded_by)
    own = _Workers(str(workspace.root), url, _devices(device, workers))
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"Contests at http://{shown}:{port}, {len(own)} of its own to judge. Ctrl-C ends.", err=True)
    app.state.site.warm()
    own.start()
    try:
        server.run([listening])
    except KeyboardInterrupt:
        # uvicorn has ended in order before it passes this on.
        pass
    finally:
        own.stop()
        store.close()
    return 0


def _warn_of_others(store: Database) -> None:
    from grader.contest.turn import stand_in

    # PostgreSQL is made for several servers. The note of this one is gone with its process.
    if store.address.path is not None and not stand_in(store.address.path)[1]:
        click.echo(
            f"kgrade: another server serves {store.address.path} already. Nothing is lost or judged twice, but one of "
            "them is enough; for several, use PostgreSQL: --database postgresql://…",
            err=True,
        )


def _devices(device: str, workers: int | None) -> list[str]:
    """What each worker judges on: its own GPU, or the emulator."""
    if device not in ("auto", "gpu"):
        return [device] * (1 if workers is None else workers)
    from grader.run.gpu.devices import find_gpus

    gpus = [f"gpu:{number}" for number in range(len(find_gpus()))]
    if not gpus:
        return [device] * (1 if workers is None else workers)
    count = len(gpus) if workers is None else workers
    return [gpus[number % len(gpus)] for number in range(count)]


class _Workers:
    """Processes of `kgrade worker` on the same database; one that ends without need is started again."""

    def __init__(self, workspace: str, url: str, devices: Sequence[str]) -> None:
        self._workspace, self._url, self._devices = workspace, url, devices
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep, args=(f"server/{number}", device), daemon=True)
            for number, device in enumerate(devices, 1)
        ]
        self._running: set[subprocess.Popen[bytes]] = set()

    def __len__(self) -> int:
        return len(self._devices)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        for process in list(self._running):
            with suppress(OSError):
                process.terminate()
        for thread in self._threads:
            thread.join(15)
        for process in list(self._running):
            with suppress(OSError):
                process.kill()

    def _keep(self, name: str, device: str) -> None:
        command = [sys.executable, "-m", "grader", "--workspace", self._workspace, "worker"]
        command += ["--name", name, "--device", device]
        while not self._stopping.is_set():
            # In the environment, where `kgrade worker` takes it out again before it grades: other users of the
            # machine read command lines. Away from the terminal's Ctrl-C, which the server passes on in order.
            environment = {**os.environ, "KGRADE_DATABASE": self._url}
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
            )
            self._running.add(process)
            if self._stopping.is_set():
                process.terminate()
            ended = process.wait()
            self._running.discard(process)
            if ended == OUT_OF_SERVICE or self._stopping.wait(AGAIN_SECONDS):
                return
