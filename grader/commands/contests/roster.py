"""`kgrade contest roster`: creates accounts, sign-in links and tokens from a CSV file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who
from grader.commands.options import workspace_of

url_option = click.option(
    "--url",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="ADDRESS",
    help="The site's address, for the links.",
)
to_option = click.option(
    "--to", metavar="FILE", help="Where the links and tokens go. Default: sign-in-DATE.csv beside contest.toml."
)


@click.command()
@contest_argument
@click.argument("file", type=click.Path())
@url_option
@to_option
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, file: str, url: str, to: str | None, database: str | None) -> int:
    """Make an account of each person in the CSV FILE, with the columns name, email and optionally team and role.

    The links and tokens are written once, to a file that you alone can read; the database keeps hashes. The same roster
    may be read again with more people in it: who is known keeps the account. The role is student or staff.
    """
    from grader.contest.accounts import add_people, write_secrets
    from grader.contest.definitions import settings_of
    from grader.contest.roster import read_roster

    target = secrets_file(ctx, slug, to)
    with open_contest(ctx, database, slug) as found:
        people = read_roster(Path(file), teams=settings_of(found, slug).teams)
        added = add_people(found, slug, people, lambda issued: write_secrets(target, issued, url), who=who())
    count = len(added.issued)
    remarks = [f"{count} account{'' if count == 1 else 's'} added"]
    if added.known:
        remarks.append(f"{added.known} were there")
    if added.moved:
        remarks.append(f"{added.moved} changed teams")
    click.echo(", ".join(remarks))
    if added.issued:
        click.echo(f"links and tokens: {target}, which you alone can read; send each person theirs")
    return 0


def secrets_file(ctx: click.Context, slug: str, named: str | None) -> Path:
    """The path to write secrets to: as named, else a new file beside the contest's."""
    from grader.contest.definitions import definition

    if named is not None:
        return Path(named)
    folder = definition(workspace_of(ctx), slug).parent
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"sign-in-{datetime.now():%Y-%m-%d-%H%M%S}.csv"
