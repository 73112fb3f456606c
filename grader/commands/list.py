"""`kgrade list`: the problems of the workspace, with the user's best verdict on each."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.options import (
    contest_option,
    json_option,
    problems_option,
    report_mistakes,
    user_name,
    user_option,
    workspace_of,
)
from grader.core.errors import ProblemError, UsageError
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.problem.challenges.folder import Challenge
    from grader.store.workspace import Workspace

SOLVED = "accepted"


@click.command()
@user_option
@click.option("--difficulty", metavar="WORD", help="Only those that are easy, medium or hard.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only those with this tag. Repeat it for several.")
@click.option("--unsolved", is_flag=True, help="Only those that none of your submissions solves yet.")
@problems_option
@json_option
@contest_option
@click.pass_context
def command(
    ctx: click.Context,
    user: str | None,
    difficulty: str | None,
    tags: Sequence[str],
    unsolved: bool,
    problem_set: str | None,
    as_json: bool,
    contest: str | None,
) -> int:
    """List the problems and how far you are with each."""
    if contest is not None:
        from grader.commands.at_contest import list_problems, refuse_options

        refuse_options(ctx, "user", "difficulty", "tags", "problem_set", "as_json")
        return list_problems(contest, unsolved=unsolved)
    workspace = workspace_of(ctx)
    standing = standings(workspace, user_name(user))
    found, mistakes = _all(workspace, problem_set)
    _check("difficulty", [difficulty] if difficulty else [], {problem.difficulty for _, problem in found})
    _check("tag", tags, {tag for _, problem in found for tag in problem.tags})
    listed = [
        (name, problem)
        for name, problem in found
        if not (difficulty and problem.difficulty != difficulty.casefold())
        and {tag.casefold() for tag in problem.tags}.issuperset(tag.casefold() for tag in tags)
        and not (unsolved and standing.get(problem.name) == SOLVED)
    ]
    if as_json:
        click.echo(json.dumps(json_object(listed, standing)))
    else:
        _print_table(listed, standing)
    return report_mistakes(mistakes)


def json_object(listed: Sequence[tuple[str, Problem | Challenge]], standing: Mapping[str, str]) -> dict[str, Any]:
    """The problems as JSON data, each with the name to type and how far the user is with it."""
    return {
        "problems": [
            {
                "problem": name,
                "title": problem.title,
                "difficulty": problem.difficulty,
                "tags": list(problem.tags),
                "yours": standing.get(problem.name, ""),
            }
            for name, problem in listed
        ]
    }


def _print_table(listed: Sequence[tuple[str, Problem | Challenge]], standing: Mapping[str, str]) -> None:
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    table = plain_table("problem", "title", "difficulty", "tags", "yours", whole=("problem", "difficulty", "yours"))
    for name, problem in listed:
        words = (safe(problem.title), problem.difficulty, ", ".join(problem.tags), standing.get(problem.name, ""))
        table.add_row(name, *words)
    output().print(table)


def _all(
    workspace: Workspace, problem_set: str | None
) -> tuple[Sequence[tuple[str, Problem | Challenge]], Sequence[ProblemError]]:
    """Returns the problems to list, each with the name to type, and the errors of the others."""
    if problem_set is None:
        problems, mistakes = workspace.load_all()
        return [(problem.name, problem) for problem in problems], mistakes
    from grader.problem.challenges.folder import ChallengeSet

    return [(challenge.short_name, challenge) for challenge in ChallengeSet(Path(problem_set)).challenges], ()


def _check(kind: str, asked: Sequence[str], known: Collection[str]) -> None:
    """Raises UsageError, suggesting the nearest word, for a word that no problem has."""
    for word in asked:
        if word.casefold() not in {one.casefold() for one in known}:
            close = get_close_matches(word.casefold(), known, n=1, cutoff=0.5)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise UsageError(f"no problem has the {kind} '{word}'.{guess}", f"use one of: {', '.join(sorted(known))}")


def standings(workspace: Workspace, user: str) -> dict[str, str]:
    """The user's state by problem: "accepted", or the number of tries. Problems without submissions are left out."""
    from grader.store.database import Store

    tries: dict[str, int] = {}
    accepted: set[str] = set()
    for entry in Store(workspace.database).summaries(user=user):
        tries[entry.problem] = tries.get(entry.problem, 0) + 1
        if entry.verdict is Verdict.ACCEPTED:
            accepted.add(entry.problem)
    return {
        problem: SOLVED if problem in accepted else f"{count} {'try' if count == 1 else 'tries'}"
        for problem, count in tries.items()
    }
