"""`kgrade contest announce`: a message to all students of a contest."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.core.errors import UsageError

LONGEST = 2_000


@click.command()
@contest_argument
@click.argument("text", required=False)
@click.option("--withdraw", type=int, metavar="N", help="Take announcement N back.")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, text: str | None, withdraw: int | None, database: str | None) -> int:
    """Show TEXT to all students. Without it: list what was announced."""
    from grader.commands.contests.common import local
    from grader.contest.definitions import settings_of
    from grader.terminal.console import safe

    if text is not None and not 0 < len(text.strip()) <= LONGEST:
        raise UsageError(f"the text has {len(text.strip()):,} characters; 1 to {LONGEST:,} are expected")
    with open_contest(ctx, database, slug) as found:
        if withdraw is not None:
            if withdraw not in {each.id for each in found.announcements(slug)}:
                raise UsageError(f"'{slug}' has no announcement {withdraw}", f"type: kgrade contest announce {slug}")
            found.withdraw_announcement(withdraw, who=who())
            click.echo(f"announcement {withdraw} is withdrawn")
        if text is not None:
            click.echo(f"announcement {found.announce(slug, text.strip(), who=who())} is shown")
        elif withdraw is None:
            zone = settings_of(found, slug).start.tzinfo
            for each in found.announcements(slug):
                click.echo(f"{each.id}  {local(each.created, zone)}  {safe(each.text)}")
    return 0
