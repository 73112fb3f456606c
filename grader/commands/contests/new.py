"""`kgrade contest new`: writes a commented contest.toml to fill in."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument
from grader.commands.options import workspace_of


@click.command()
@contest_argument
@click.pass_context
def command(ctx: click.Context, slug: str) -> int:
    """Write the file of the contest CONTEST, such as cs149-a1.

    It is valid as it stands: a week from tomorrow, with all problems, judged by the emulator.
    """
    from grader.contest.clock import utc_now
    from grader.contest.definitions import write_new

    path = write_new(workspace_of(ctx), slug, utc_now())
    click.echo(f"wrote {path}\nnext: edit it, then type: kgrade contest check {slug}")
    return 0
