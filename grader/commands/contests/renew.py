"""`kgrade contest renew`: new sign-in links and tokens in place of lost or leaked ones."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.commands.contests.roster import secrets_file, to_option, url_option
from grader.core.errors import UsageError


@click.command()
@contest_argument
@click.argument("names", nargs=-1)
@click.option("--all", "everybody", is_flag=True, help="Everybody's, as after a restored archive.")
@url_option
@to_option
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    names: tuple[str, ...],
    everybody: bool,
    url: str,
    to: str | None,
    database: str | None,
) -> int:
    """Give the people called NAMES new sign-in links and tokens; the old ones and open sessions end."""
    from grader.contest.accounts import renew, write_secrets

    if bool(names) == everybody:
        raise UsageError("name somebody, or everybody by --all", f"type: kgrade contest renew {slug} NAME")
    target = secrets_file(ctx, slug, to)
    with open_contest(ctx, database, slug) as found:
        accounts = found.accounts(slug) if everybody else [found.account_called(slug, name) for name in names]
        issued = renew(found, accounts, lambda fresh: write_secrets(target, fresh, url), who=who())
    click.echo(f"{len(issued)} renewed; links and tokens: {target}, which you alone can read")
    return 0
