"""`kgrade mcp`: a server of the Model Context Protocol on standard input and output, for agents."""

from __future__ import annotations

import os
from threading import Thread

import click

from grader.commands.engines import engines_of
from grader.commands.options import Asked, device_option, user_name, user_option, workspace_of
from grader.core.errors import ToolMissing


@click.command()
@device_option
@click.option(
    "--deadline",
    type=click.IntRange(1, 86_400),
    default=Asked.deadline,
    show_default=True,
    metavar="SECONDS",
    help="End each grading after so long, and say at which step it was.",
)
@click.option(
    "--require-sandbox",
    is_flag=True,
    help="Refuse to run a file's own solve() where no sandbox protects this machine.",
)
@user_option
@click.pass_context
def command(ctx: click.Context, device: str, deadline: int, require_sandbox: bool, user: str | None) -> int:
    """Serve the tools list_problems, show, test and explain to an agent, which starts this command itself.

    It speaks the Model Context Protocol on standard input and output. One text is graded at a time, in the same sandbox
    and within the same limits as by kgrade test; nothing is recorded.
    """
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise ToolMissing("kgrade mcp needs the package mcp", "type: pip install 'mcp>=2.3,<3'") from error
    import anyio

    from grader.commands.agents.server import make_server
    from grader.commands.agents.tools import Tools
    from grader.commands.agents.turns import Turns
    from grader.run.templates import use_templates

    asked = Asked(device=device, deadline=deadline, require_sandbox=require_sandbox)
    engines, turns = engines_of(ctx), Turns()
    server = make_server(Tools(workspace_of(ctx), engines, asked), turns, user_name(user))
    use_templates(engines.sandbox())

    def speak() -> None:
        try:
            anyio.run(server.run_stdio_async)
        finally:
            turns.end()

    Thread(target=speak, name="kgrade-mcp", daemon=True).start()
    try:
        turns.run()
    except KeyboardInterrupt:
        # The thread that reads standard input can't be interrupted, and would be waited for.
        os._exit(130)
    return 0
