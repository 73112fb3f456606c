"""`kgrade contest team`: shows and changes who is in which team."""

from __future__ import annotations

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest, who


@click.command()
@contest_argument
@click.argument("name", required=False)
@click.argument("team", required=False)
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, name: str | None, team: str | None, database: str | None) -> int:
    """Put NAME into TEAM, or out of any team where no TEAM is given. Without NAME: list the teams."""
    from grader.contest.definitions import settings_of
    from grader.terminal.console import safe

    with open_contest(ctx, database, slug) as found:
        if name is None:
            members: dict[str, list[str]] = {}
            for account in found.accounts(slug):
                members.setdefault(account.team or "(no team)", []).append(account.name)
            for title, names in sorted(members.items()):
                click.echo(f"{safe(title)}: {safe(', '.join(names))}")
            return 0
        account = found.account_called(slug, name)
        found.set_team(account.id, team, who=who())
        counts = settings_of(found, slug).teams
    click.echo(f"{safe(account.name)} is in {f'the team {safe(team)}' if team else 'no team'}")
    if not counts:
        click.echo(
            f"the contest has no teams: set teams = true in its file, then kgrade contest check {slug}", err=True
        )
    return 0
