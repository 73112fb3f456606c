"""`kgrade contest revoke`: revokes an account's sign-in link, token and sessions."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who


@click.command()
@contest_argument
@click.argument("name")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, name: str, database: str | None) -> int:
    """End the sign-in link, the token and the open sessions of NAME. `renew` gives new ones."""
    from grader.contest.accounts import revoke

    with open_contest(ctx, database, slug) as found:
        revoke(found, found.account_called(slug, name), who=who())
    click.echo(f"revoked; new ones: kgrade contest renew {slug} NAME")
    return 0
