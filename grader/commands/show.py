"""`kgrade show`: a problem's statement, laid out for a terminal."""

from __future__ import annotations

import click

from grader.commands.options import problem_argument, workspace_of


@click.command()
@problem_argument
@click.pass_context
def command(ctx: click.Context, problem: str) -> int:
    """Show the statement of PROBLEM."""
    from rich.markdown import Markdown

    from grader.terminal.console import output, safe

    loaded = workspace_of(ctx).load(problem)
    console = output()
    console.print(Markdown(safe(loaded.statement), code_theme="ansi_dark", hyperlinks=False))
    console.print(f"\nStart with: kgrade init {problem}", style="dim")
    return 0
