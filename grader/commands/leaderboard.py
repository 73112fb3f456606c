"""`kgrade leaderboard`: the ranking in the terminal, or as pages to put on any web server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.options import any_problem_argument, contest_option, language_choice, report_mistakes, workspace_of
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from rich.table import Table

    from grader.boards.ranking import Row
    from grader.store.database import Store


@click.command()
@any_problem_argument
@language_choice("Rank only what is written in this.")
@click.option("--html", "folder", metavar="DIR", type=click.Path(), help="Write the pages of all problems.")
@contest_option
@click.pass_context
def command(
    ctx: click.Context, problem: str | None, language: LanguageName | None, folder: str | None, contest: str | None
) -> int:
    """Show the ranking of PROBLEM, or of all, or write it as web pages.

    What an emulator ran is shown as accepted and not ranked: its time says nothing of a GPU.
    """
    if contest is not None:
        from grader.commands.at_contest import refuse_options, show_scoreboard

        refuse_options(ctx, "language", "folder")
        if problem is not None:
            raise UsageError("a contest has one scoreboard for all its problems", f"leave '{problem}' out")
        return show_scoreboard(contest)
    from grader.boards.site import write_site
    from grader.store.database import Store

    if folder is not None and language is not None:
        raise UsageError("--language has no effect with --html: the pages show each language", "leave --language out")
    workspace = workspace_of(ctx)
    store = Store(workspace.database)
    submitted = dict.fromkeys(entry.problem for entry in store.summaries())
    if problem is not None and problem not in submitted:
        workspace.check_name(problem)
    if folder is not None:
        problems, mistakes = workspace.load_all()
        index = write_site(store, problems, Path(folder), workspace.template_folders)
        click.echo(f"wrote {index}")
        return report_mistakes(mistakes)
    # Problems of third-party sets are known only by their submissions.
    named = [problem] if problem is not None else list({**dict.fromkeys(workspace.problems), **submitted})
    print_boards(store, named, language)
    return 0


def print_boards(store: Store, problems: Sequence[str], language: LanguageName | None = None) -> None:
    """Prints one table for each solved problem, and the names of the unsolved ones."""
    from grader.boards import words
    from grader.boards.ranking import rank
    from grader.terminal.console import output

    console = output()
    boards = {problem: rank(store.summaries(problem), language) for problem in problems}
    for problem, rows in boards.items():
        if rows:
            console.print(problem, style="bold")
            console.print(_table(rows))
            console.print()
    unsolved = [problem for problem, rows in boards.items() if not rows]
    if unsolved:
        within = f" in {words.language(language)}" if language else ""
        console.print(f"nobody has solved yet{within}: {', '.join(unsolved)}", style="dim")


def _table(rows: Sequence[Row]) -> Table:
    from grader.boards.words import date, name, score
    from grader.terminal.table import plain_table

    table = plain_table("rank", "user", "score", "device", "language", "form", "date", numbers=("rank", "score"))
    for row in rows:
        entry = row.entry
        table.add_row(
            "" if row.rank is None else str(row.rank),
            name(entry.user),
            "accepted" if row.rank is None or entry.score is None else score(entry.score),
            entry.device,
            str(entry.language),
            str(entry.form),
            date(entry.submitted),
        )
    return table
