"""`kgrade contest worker`: tokens of the machines that judge."""

from __future__ import annotations

import click

from grader.commands.contests.common import database_option, opened, who


@click.command()
@click.argument("name")
@click.option("--remove", is_flag=True, help="Shut the machine out.")
@database_option
@click.pass_context
def command(ctx: click.Context, name: str, remove: bool, database: str | None) -> int:
    """Make a token for the machine that is to be called NAME, or a new one; it is shown once.

    There: kgrade worker --server URL --token TOKEN --gpu 0
    """
    from grader.commands.options import user_name
    from grader.contest.auth import hash_token, new_token
    from grader.contest.records import ANY_GPU

    name, token = user_name(name), new_token()
    with opened(ctx, database) as found:
        if remove:
            found.remove_worker(name, who=who())
        else:
            found.add_worker(name, ANY_GPU, hash_token(token), who=who())
    click.echo("removed" if remove else f"type on that machine:\n  KGRADE_TOKEN={token} kgrade worker --server URL")
    return 0
