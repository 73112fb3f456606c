"""`kgrade contest check`: shows what a contest's file means, or what is wrong with it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, local, open_database, span, who
from grader.commands.options import workspace_of
from grader.core.errors import KgradeError

if TYPE_CHECKING:
    from grader.contest.settings import ContestProblem, Settings


@click.command()
@contest_argument
@click.option("--apply", is_flag=True, help="Let the settings hold, also in a contest that runs.")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, apply: bool, database: str | None) -> int:
    """Check the file of CONTEST and say what it means.

    Settings hold from the first `kgrade serve` or `kgrade contest roster`; what is changed later holds by --apply. The
    log of changes keeps the old ones.
    """
    from grader.contest.definitions import publish, read_definition

    workspace = workspace_of(ctx)
    settings = read_definition(workspace, slug)
    for line in _lines(settings):
        click.echo(line)
    if apply:
        with open_database(ctx, database) as found:
            publish(found, workspace, slug, who=who())
        click.echo("these settings hold now")
    elif changed := _not_in_force(ctx, settings, database):
        click.echo(f"not in force yet: {', '.join(changed)}; next: kgrade contest check {slug} --apply")
    return 0


def _not_in_force(ctx: click.Context, settings: Settings, url: str | None) -> list[str]:
    """Names of settings that differ in the database; empty if the contest is not there or the database fails."""
    from dataclasses import fields

    from grader.contest.connect import Address
    from grader.contest.database import default_url
    from grader.contest.definitions import settings_of

    path = Address(default_url(workspace_of(ctx), url)).path
    # Checking must not create a database.
    if path is not None and not path.exists():
        return []
    with suppress(KgradeError), open_database(ctx, url) as found:
        held = settings_of(found, settings.slug)
        return [each.name for each in fields(settings) if getattr(held, each.name) != getattr(settings, each.name)]
    return []


def _problem(problem: ContestProblem) -> str:
    words = f"  problem   {problem.name}, {problem.weight:g} {'point' if problem.weight == 1 else 'points'}"
    if problem.credit is None:
        return words
    from grader.contest.groups import conditions
    from grader.contest.partial import parts_of
    from grader.terminal.console import safe

    told = {group.name: f" ({conditions(group)})" for group in problem.credit.groups}
    lines = [
        f"            {part.most:g} for {safe(part.words)}{safe(told.get(part.group, ''))}"
        for part in parts_of(problem.credit, None, None)
    ]
    return "\n".join([words, *lines])


_ENTRIES = {"roster": "by the roster", "ask": "by the roster, or by asking"}
_BOARDS = {
    "class": "for the class",
    "public": "for everybody, without signing in",
    "anonymous": "without the names of others",
}


def _ranked(settings: Settings) -> str:
    if settings.scored_by:
        return f"ranked by {settings.scored_by}"
    return "times rank" if settings.is_timed else "accepted scores 1"


def _lines(settings: Settings) -> list[str]:
    from grader.terminal.console import safe

    device = settings.gpu_model or "any machine"
    late, zone = settings.late, settings.start.tzinfo
    lines = [
        f"{safe(settings.title)} ({settings.slug})",
        f"  from      {local(settings.start, zone)}",
        "  to        no end"
        if settings.end is None
        else f"  to        {local(settings.end, zone)}, {span(settings.end - settings.start)}",
        f"  freeze    {'never' if settings.freeze is None else local(settings.freeze, zone)}",
        f"  judged    by {safe(device)}; {_ranked(settings)}",
        f"  cases     {'the same for all' if settings.hidden_seeds else 'new ones for each submission'}",
        f"  counts    the {settings.counts} submission, {settings.per_hour} an hour"
        + (", in teams" if settings.teams else ""),
        f"  entry     {_ENTRIES[settings.entry]}",
        f"  board     {_BOARDS[settings.scoreboard]}",
        f"  late      {f'−{late.percent:g} % an hour, {late.hours:g} hours' if late.hours else 'nothing is taken'}",
        f"  after     {'practice is taken' if settings.practice_after_end else 'nothing is taken'}",
    ]
    return [
        *lines,
        *map(_problem, settings.problems),
    ]
