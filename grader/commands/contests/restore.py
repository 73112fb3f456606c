"""`kgrade contest restore`: restores an archived contest into a database."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.contests.common import database_option, open_database, who


@click.command()
@click.argument("file", type=click.Path())
@click.option("--as", "slug", metavar="NAME", help="Give it another name.")
@database_option
@click.pass_context
def command(ctx: click.Context, file: str, slug: str | None, database: str | None) -> int:
    """Read the archive FILE back into the database, all of it or nothing.

    Nobody can sign in to it until `kgrade contest renew NAME --all`.
    """
    from grader.contest.archive import read_archive

    with open_database(ctx, database) as found:
        name, counts = read_archive(found, Path(file), who=who(), slug=slug)
    click.echo(f"{name}: {counts.accounts} accounts, {counts.submissions} submissions, {counts.judgings} judgings")
    click.echo(f"next: kgrade contest status {name}")
    return 0
