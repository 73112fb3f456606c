"""`kgrade show`: a problem's statement, laid out for a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from grader.commands.options import (
    json_option,
    problem_argument,
    problems_option,
    starter_language_option,
    workspace_of,
)
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from grader.problem import Problem


@click.command()
@problem_argument
@starter_language_option
@problems_option
@json_option
@click.pass_context
def command(ctx: click.Context, problem: str, language: LanguageName, problem_set: str | None, as_json: bool) -> int:
    """Show the statement of PROBLEM, and what a file in another language than CUDA C++ begins with."""
    if as_json:
        return _print_json(ctx, problem, language, problem_set)
    from rich.markdown import Markdown

    from grader.terminal.console import output, safe

    if problem_set is None:
        statement, start = workspace_of(ctx).load(problem).statement, f"kgrade init {problem}"
    else:
        from grader.commands.challenges import statement_of

        statement, start = statement_of(problem_set, problem)
    console = output()
    console.print(Markdown(safe(statement), code_theme="ansi_dark", hyperlinks=False))
    if language is not LanguageName.CUDA:
        from rich.syntax import Syntax

        starter = _starter(ctx, problem, language, problem_set)
        console.print(f"\nIn {language}:\n")
        console.print(Syntax(safe(starter), "python", theme="ansi_dark", background_color="default"))
        start = f"{start} --language {language}"
    console.print(f"\nStart with: {start}", style="dim")
    return 0


def _print_json(ctx: click.Context, problem: str, language: LanguageName, problem_set: str | None) -> int:
    if problem_set is not None:
        raise UsageError(
            "--json has no effect with --problems: a challenge is not one of kgrade's own", "leave one out"
        )
    click.echo(json.dumps(json_object(workspace_of(ctx).load(problem), language)))
    return 0


def json_object(problem: Problem, language: LanguageName) -> dict[str, Any]:
    """The problem as JSON data: its statement in Markdown, the starter in this language, the range of each size."""
    from grader.languages.registry import find_language

    return {
        "problem": problem.name,
        "title": problem.title,
        "difficulty": problem.difficulty,
        "tags": list(problem.tags),
        "sizes": {name: [size.low, size.high] for name, size in problem.sizes.items()},
        "statement": problem.statement,
        "language": str(language),
        "starter": find_language(language).starter(problem),
    }


def _starter(ctx: click.Context, problem: str, language: LanguageName, problem_set: str | None) -> str:
    if problem_set is not None:
        from grader.commands.challenges import challenge_starter

        return challenge_starter(problem_set, problem, language)[1]
    from grader.languages.registry import find_language

    return find_language(language).starter(workspace_of(ctx).load(problem))
