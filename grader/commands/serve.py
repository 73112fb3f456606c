"""`kgrade serve`: the site of this workspace, to practise and for its contests, with workers of its own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click

from grader.commands.engines import engines_of
from grader.commands.options import (
    check_sandbox,
    device_option,
    no_sandbox_option,
    user_name,
    user_option,
    workspace_of,
)
from grader.core.errors import ToolMissing

if TYPE_CHECKING:
    from grader.contest.database import Database


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
@user_option
@no_sandbox_option
@click.pass_context
def command(
    ctx: click.Context,
    host: str,
    port: int,
    database: str | None,
    workers: int | None,
    device: str,
    forwarded_by: str,
    user: str | None,
    no_sandbox: bool,
) -> int:
    """Serve this workspace's problems and contests until Ctrl-C, and judge what is submitted.

    On a loopback address whoever runs it is signed in to practise; elsewhere by a link that is printed once.
    """
    try:
        from grader.contest.listen import bound_socket, make_server
        from grader.contest.server import create_app
    except ModuleNotFoundError as error:
        from grader.machine.own_install import extra_command

        raise ToolMissing(f"the server needs {error.name}", f"type: {extra_command('server')}") from error
    import asyncio

    from grader.contest.database import Database, default_url
    from grader.contest.definitions import defined_contests, publish_if_newer
    from grader.contest.loopback import can_tell_users, is_loopback
    from grader.contest.own_workers import OwnWorkers
    from grader.contest.practice import first_link, owner_of, publish_practice
    from grader.contest.provider import SignIn, read_provider

    workspace, name = workspace_of(ctx), user_name(user)
    provider = read_provider(workspace)
    sign_in = None if provider is None else SignIn(provider)
    devices = _devices(device, workers)
    # A server without workers of its own runs nothing that was submitted.
    if devices:
        check_sandbox(engines_of(ctx).sandbox(), no_sandbox)
    url = default_url(workspace, database)
    store = Database(url)
    store.clock.check(store.newest())
    known = defined_contests(workspace)
    for slug in known:
        settings = publish_if_newer(store, workspace, slug, who="kgrade serve")
        span = " to ".join(f"{moment:%Y-%m-%d %H:%M %Z}" for moment in (settings.start, settings.end) if moment)
        click.echo(f"{slug}: {settings.title}, {span}")
    publish_practice(store, workspace)
    owner = owner_of(store, name)
    _warn_of_others(store)
    listening = bound_socket(host, port)
    own = OwnWorkers(store, workspace.root, devices, port, no_sandbox=no_sandbox)
    at_home = owner.id if is_loopback(listening.getsockname()[0]) and can_tell_users() else None
    app = create_app(store, workspace, own.admission, owner=at_home, organiser=owner.id, provider=sign_in)

    async def first() -> None:
        await asyncio.to_thread(own.stop)
        app.state.site.end_streams()

    server = make_server(app, forwarded_by=forwarded_by, first=first)
    shown = f"[{host}]" if ":" in host else host
    if not at_home and (link := first_link(store, owner)):
        click.echo(f"To practise as {name}, sign in by this link, which is shown once:")
        click.echo(f"  http://{shown}:{port}/sign-in/{link}")
    what = "Practice and contests" if known else "Practice"
    judges = f"{len(own)} worker{'s' * (len(own) > 1)}" if own else "no worker of its own"
    click.echo(f"{what} at http://{shown}:{port}, with {judges}. Press Ctrl-C to stop.", err=True)
    app.state.site.warm()
    # uvicorn shuts down in order and then re-raises the signal, which would end this process at once.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        own.start()
        server.run([listening, *own.sockets])
    except KeyboardInterrupt:
        pass
    finally:
        own.stop()
        store.close()
    return 0


def _warn_of_others(store: Database) -> None:
    from grader.contest.turn import stand_in

    # PostgreSQL supports several servers. The lock file's lock ends with this process.
    if store.address.path is not None and not stand_in(store.address.path)[1]:
        click.echo(
            f"kgrade: another server serves {store.address.path} already. Nothing is lost or judged twice, but one of "
            "them is enough; for several, use PostgreSQL: --database postgresql://…",
            err=True,
        )


def _devices(device: str, workers: int | None) -> list[str]:
    """The device of each worker: its own GPU, or the emulator."""
    if device not in ("auto", "gpu"):
        return [device] * (1 if workers is None else workers)
    from grader.machine.gpus import find_gpus

    gpus = [f"gpu:{number}" for number in range(len(find_gpus()))]
    if not gpus:
        return [device] * (1 if workers is None else workers)
    count = len(gpus) if workers is None else workers
    return [gpus[number % len(gpus)] for number in range(count)]
