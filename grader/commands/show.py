"""`kgrade show`: a problem's statement, laid out for a terminal."""

from __future__ import annotations

import click

from grader.commands.options import problem_argument, problems_option, workspace_of


@click.command()
@problem_argument
@problems_option
@click.pass_context
def command(ctx: click.Context, problem: str, problem_set: str | None) -> int:
    """Show the statement of PROBLEM."""
    from rich.markdown import Markdown

    from grader.terminal.console import output, safe

    if problem_set is None:
        statement, start = workspace_of(ctx).load(problem).statement, f"kgrade init {problem}"
    else:
        from grader.commands.challenges import statement_of

        statement, start = statement_of(problem_set, problem)
    console = output()
    console.print(Markdown(safe(statement), code_theme="ansi_dark", hyperlinks=False))
    console.print(f"\nStart with: {start}", style="dim")
    return 0
