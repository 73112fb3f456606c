"""`kgrade contest similar`: lists near-copies, with the lines that match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest
from grader.commands.options import workspace_of
from grader.core.errors import KgradeError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from grader.store.workspace import Workspace


@click.command()
@contest_argument
@click.option("--problem", metavar="PROBLEM", help="Only this problem.")
@click.option(
    "--threshold",
    type=click.FloatRange(0.1, 1.0),
    default=0.6,
    show_default=True,
    metavar="SHARE",
    help="The share of the shorter file that has to match.",
)
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, problem: str | None, threshold: float, database: str | None) -> int:
    """Show pairs of submissions of CONTEST whose code is nearly the same, whatever its names and layout.

    The starter file, and what many wrote alike, don't count. Look at the lines before you speak with anybody.
    """
    from grader.contest.copies import likenesses
    from grader.contest.definitions import settings_of
    from grader.contest.rejudging import Pick, pick
    from grader.terminal.console import safe

    workspace = workspace_of(ctx)
    with open_contest(ctx, database, slug) as found:
        if problem is not None:
            pick(found, slug, Pick(problem=problem))
        given = {each.name: _given(workspace, each.name) for each in settings_of(found, slug).problems}
        pairs = likenesses(found, slug, given=given, problem=problem, threshold=threshold)
    for likeness in pairs:
        one, other, pair = likeness.one, likeness.other, likeness.pair
        click.echo(
            f"{pair.similarity:4.0%}  {likeness.problem}: {one.id} of {safe(one.account)} and {other.id} of "
            f"{safe(other.account)}, {pair.tokens} tokens"
        )
        lines = (f"{a}–{b} = {c}–{d}" for a, b, c, d in pair.lines)
        click.echo(f"      lines {', '.join(lines)}")
    if not pairs:
        click.echo(f"no two are alike to {threshold:.0%}")
    return 0


def _given(workspace: Workspace, problem: str) -> dict[LanguageName, list[str]]:
    """The starters that everybody can have; empty if the problem is not on this machine."""
    from grader.languages.registry import find_language

    try:
        loaded = workspace.load(problem)
        return {
            name: [loaded.starter if name is LanguageName.CUDA else find_language(name).starter(loaded)]
            for name in LanguageName
        }
    except KgradeError:
        return {}
