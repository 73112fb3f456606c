"""`kgrade contest unfreeze`: shows what the freeze hides, one result at a time or all at once."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.core.errors import UsageError


@click.command()
@contest_argument
@click.option("--step", is_flag=True, help="Reveal one result, from the last place up.")
@click.option("--all", "everything", is_flag=True, help="Reveal everything.")
@click.option("--again", is_flag=True, help="Hide it again.")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, step: bool, everything: bool, again: bool, database: str | None) -> int:
    """Show what the scoreboard of CONTEST hides since the freeze. Open scoreboards follow."""
    from grader.contest import standing
    from grader.terminal.console import safe

    if step + everything + again != 1:
        raise UsageError("choose one of --step, --all and --again", f"type: kgrade contest unfreeze {slug} --step")
    with open_contest(ctx, database, slug) as found:
        if everything:
            standing.unfreeze(found, slug, who=who())
            click.echo("everything is shown")
        elif again:
            standing.freeze_again(found, slug, who=who())
            click.echo("what was submitted since the freeze is hidden again")
        else:
            done = standing.reveal_next(found, slug, who=who())
            if done is None:
                click.echo("nothing is hidden any more")
            else:
                name, problem = done.reveal
                move = f"from {done.before} to {done.after}" if done.before != done.after else f"stays at {done.after}"
                click.echo(f"{safe(name)}, {problem}: {move}")
    return 0
