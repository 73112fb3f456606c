"""`kgrade contest admit`: who asks to enter without being on the roster, and letting them in."""

from __future__ import annotations

import json

import click

from grader.commands.contests.common import contest_argument, database_option, local, open_contest, who
from grader.commands.options import json_option
from grader.core.errors import UsageError


@click.command()
@contest_argument
@click.argument("number", type=int, required=False, metavar="[N]")
@click.option("--refuse", is_flag=True, help="Refuse them; they can still be let in later.")
@json_option
@database_option
@click.pass_context
def command(
    ctx: click.Context, slug: str, number: int | None, refuse: bool, as_json: bool, database: str | None
) -> int:
    """Let number N enter CONTEST; without N, list who asks.

    People who sign in by the university's provider and are on no roster ask on the site, where contest.toml has
    entry = "ask".
    """
    if number is None and refuse:
        raise UsageError("--refuse needs a number", f"type: kgrade contest admit {slug} to see the numbers")
    with open_contest(ctx, database, slug) as found:
        done = ""
        if number is not None and refuse:
            found.refuse_entry(slug, number, who=who())
            done = f"number {number} is refused"
        elif number is not None:
            from grader.contest.entering import admit

            name = admit(found, slug, number, who=who())
            done = f"{name} may enter, by the sign-in they asked with"
        entries = found.entries(slug)
    if as_json:
        click.echo(json.dumps({"entries": [vars(each) for each in entries]}, default=str))
        return 0
    if done:
        click.echo(done)
        return 0
    from grader.terminal.console import safe

    for each in entries:
        refused = f"; refused by {safe(each.refused_by or '')}" if each.refused else ""
        click.echo(f"{each.id}  {local(each.asked)}  {safe(each.name)}, known as {safe(each.value)}{refused}")
    if not entries:
        click.echo("nobody asks to enter")
    return 0
