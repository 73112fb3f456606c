"""`kgrade leaderboard`: the ranking in the terminal, or as pages to put on any web server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.options import any_problem_argument, contest_option, language_choice, report_mistakes, workspace_of
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from rich.console import RenderableType
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

    What an emulator ran is ranked by model time, on a board of its own; its own time says nothing of a GPU.
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
            for part in _parts(rows):
                console.print(part)
                console.print()
    unsolved = [problem for problem, rows in boards.items() if not rows]
    if unsolved:
        within = f" in {words.language(language)}" if language else ""
        console.print(f"nobody has solved yet{within}: {', '.join(unsolved)}", style="dim")


def _parts(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """A table of what was measured and of what has no rank, and one with its name for each board by model time."""
    from rich.console import Group
    from rich.text import Text

    from grader.boards.ranking import by_board
    from grader.terminal.console import safe

    usual = [row for row in rows if row.rank is None or row.is_measured]
    if usual:
        yield _table(usual)
    for board, own in by_board(rows).items():
        if not own[0].is_measured:
            yield Group(Text(safe(board), style="bold"), _model_table(own))


def _table(rows: Sequence[Row]) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from grader.boards.words import date, name, score
    from grader.terminal.console import safe
    from grader.terminal.table import plain_table

    table = plain_table("rank", "user", "score", "device", "language", "form", "date", numbers=("rank", "score"))
    reasons = []
    for row in rows:
        entry = row.entry
        table.add_row(
            "" if row.rank is None else str(row.rank),
            name(entry.user),
            "accepted" if row.rank is None or row.score is None else score(row.score),
            entry.device,
            str(entry.language),
            str(entry.form),
            date(entry.submitted),
        )
        if row.rank is None and entry.model_note:
            reasons.append(Text(f"{name(entry.user)} has no model time: {safe(entry.model_note)}", style="dim"))
    return Group(table, *reasons)


def _model_table(rows: Sequence[Row]) -> Table:
    from grader.boards.words import date, duration, name, score
    from grader.terminal.table import plain_table

    numbers = ("rank", "score", "model time")
    table = plain_table("rank", "user", "score", "model time", "language", "form", "date", numbers=numbers)
    for row in rows:
        table.add_row(
            str(row.rank),
            name(row.entry.user),
            score(row.score or 0.0),
            duration(row.time.value) if row.time else "",
            str(row.entry.language),
            str(row.entry.form),
            date(row.entry.submitted),
        )
    return table
