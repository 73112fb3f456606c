"""`kgrade contest extend`: more time for one student."""

from __future__ import annotations

import click

from grader.commands.contests.common import (
    contest_argument,
    database_option,
    local,
    open_contest,
    parse_span,
    span,
    who,
)
from grader.core.errors import UsageError


@click.command()
@contest_argument
@click.argument("name")
@click.argument("length", metavar="TIME")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, name: str, length: str, database: str | None) -> int:
    """Give NAME (or the e-mail address) the TIME beyond the contest's end, such as 2h or 1d; 0 takes it back.

    It replaces an earlier extension, and holds for what was submitted already.
    """
    from grader.contest.definitions import settings_of

    extension = parse_span(length)
    with open_contest(ctx, database, slug) as found:
        account = found.account_called(slug, name)
        settings = settings_of(found, slug)
        if settings.end is None:
            raise UsageError(f"'{slug}' has no end, so nobody needs more time", "name a contest that ends")
        found.set_extension(account.id, round(extension.total_seconds()), who=who())
    zone = settings.start.tzinfo
    click.echo(f"{account.name} has {span(extension)} more, until {local(settings.end + extension, zone)}")
    return 0
