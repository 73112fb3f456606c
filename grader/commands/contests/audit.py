"""`kgrade contest audit`: every change, by whom and when."""

from __future__ import annotations

import json

import click

from grader.commands.contests.common import contest_argument, database_option, local, open_contest
from grader.commands.options import json_option


@click.command()
@contest_argument
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="The newest N.")
@json_option
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, limit: int, as_json: bool, database: str | None) -> int:
    """Show the changes of CONTEST, newest first."""
    from grader.contest.changes import details
    from grader.contest.definitions import settings_of
    from grader.terminal.console import safe

    with open_contest(ctx, database, slug) as found:
        changes, zone = found.audits(slug, limit), settings_of(found, slug).start.tzinfo
    if as_json:
        rows = [{"id": c.id, "at": c.at.isoformat(), "who": c.who, "what": c.what, "detail": c.detail} for c in changes]
        click.echo(json.dumps({"changes": rows}))
        return 0
    for change in changes:
        detail = details(change)
        click.echo(
            f"{local(change.at, zone)}  {safe(change.who)}  {change.what}{f' ({safe(detail)})' if detail else ''}"
        )
    return 0
