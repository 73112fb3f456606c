"""`kgrade list`: the problems of the workspace, with the user's best verdict on each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.commands.options import report_mistakes, user_name, user_option, workspace_of
from grader.verdict import Verdict

if TYPE_CHECKING:
    from grader.workspace import Workspace


@click.command()
@user_option
@click.pass_context
def command(ctx: click.Context, user: str | None) -> int:
    """List the problems and how far you are with each."""
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    workspace = workspace_of(ctx)
    standing = standings(workspace, user_name(user))
    table = plain_table("problem", "title", "difficulty", "tags", "yours", whole=("problem", "title", "yours"))
    problems, mistakes = workspace.load_all()
    for problem in problems:
        table.add_row(
            problem.name,
            safe(problem.title),
            problem.difficulty,
            ", ".join(problem.tags),
            standing.get(problem.name, ""),
        )
    output().print(table)
    return report_mistakes(mistakes)


def standings(workspace: Workspace, user: str) -> dict[str, str]:
    """By problem: "accepted", or how many tries there were. Empty where nothing was ever recorded."""
    from grader.store import Store

    tries: dict[str, int] = {}
    accepted: set[str] = set()
    for entry in Store(workspace.database).summaries(user=user):
        tries[entry.problem] = tries.get(entry.problem, 0) + 1
        if entry.verdict is Verdict.ACCEPTED:
            accepted.add(entry.problem)
    return {
        problem: "accepted" if problem in accepted else f"{count} {'try' if count == 1 else 'tries'}"
        for problem, count in tries.items()
    }
