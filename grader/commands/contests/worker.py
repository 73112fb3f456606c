"""`kgrade contest worker`: tokens of the machines that judge."""

from __future__ import annotations

import click

from grader.commands.contests.common import database_option, open_database, who


@click.command()
@click.argument("name")
@click.option("--remove", is_flag=True, help="Shut the machine out.")
@database_option
@click.pass_context
def command(ctx: click.Context, name: str, remove: bool, database: str | None) -> int:
    """Make a token for the machine that is to be called NAME, or a new one; it is shown once.

    There: kgrade worker --server URL --token-file FILE --gpu 0
    """
    from grader.commands.options import user_name
    from grader.contest.auth import hash_token, new_token
    from grader.contest.records import ANY_GPU

    name, token = user_name(name), new_token()
    with open_database(ctx, database) as found:
        if remove:
            found.remove_worker(name, who=who())
        else:
            found.add_worker(name, ANY_GPU, hash_token(token), who=who())
    if remove:
        click.echo("removed")
        return 0
    click.echo(f"the token of {name}, shown once:\n  {token}")
    click.echo(
        "write it into a file there, and type:\n  chmod 600 FILE && kgrade worker --server URL --token-file FILE"
    )
    return 0
