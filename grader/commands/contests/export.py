"""`kgrade contest export`: results for a spreadsheet, Gradescope or Autolab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest
from grader.contest.exports import FOR_ALL, FOR_EACH, files_of
from grader.core.errors import UsageError, WorkspaceError

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.contest.standing import Results


@click.command()
@contest_argument
@click.option("--format", "kind", type=click.Choice([*FOR_ALL, *FOR_EACH]), default="csv", show_default=True)
@click.option("--user", metavar="NAME", help="Only this student's, by name, e-mail address or number, or team's.")
@click.option("--to", metavar="PATH", help="The CSV file; or the folder for one file a student, by e-mail address.")
@click.option(
    "--for-students",
    is_flag=True,
    help="The CSV as students may see it: without e-mail addresses, what is frozen, and names if they are hidden.",
)
@database_option
@click.pass_context
def command(
    ctx: click.Context,
    slug: str,
    kind: str,
    user: str | None,
    to: str | None,
    for_students: bool,
    database: str | None,
) -> int:
    """Write the results of CONTEST, with everything that a freeze hides and with all names.

    csv prints one table. gradescope writes a results.json for each student, autolab the line that ends an autograder's
    output; with --user they are printed.
    """
    from grader.contest.standing import results, results_for_students

    if for_students and (user is not None or kind not in FOR_ALL):
        raise UsageError("--for-students writes one table of all", "leave --user and --format out")
    with open_contest(ctx, database, slug) as found:
        current = results_for_students(found, slug) if for_students else results(found, slug)
        if user is not None:
            who = _on_the_board(found, current, user)
            current = replace(current, rows=[row for row in current.rows if row.who == who])
    if kind in FOR_ALL:
        files = {Path(to or "-"): FOR_ALL[kind](current)}
    elif to is None and user is not None:
        files = {Path("-"): FOR_EACH[kind].write(current, current.rows[0])}
    elif to is None:
        raise UsageError("a folder is needed for one file a student", f"add --to {slug}-{kind}")
    else:
        files = {Path(to) / name: text for name, text in files_of(kind, current).items()}
    _write(files)
    return 0


def _on_the_board(database: Database, current: Results, word: str) -> str:
    """The name in the results of the team or the account that is meant. Raises UsageError."""
    from grader.contest.standing import board_name

    names = {row.who for row in current.rows}
    if current.settings.teams and word in names:
        return word
    account = database.account_called(current.settings.slug, word)
    name = board_name(current.settings, account.name, account.team)
    if account.disqualified is not None and current.settings.teams:
        name = f"{account.name} ({account.team or 'no team'})"
    if name not in names:
        raise UsageError(
            f"'{account.name}' is not on the scoreboard", f"type: kgrade contest export {current.settings.slug}"
        )
    return name


def _write(files: dict[Path, str]) -> None:
    from grader.core.files import write_whole

    for path, text in files.items():
        if str(path) == "-":
            click.echo(text.replace("\r\n", "\n").rstrip("\n"))
            continue
        try:
            write_whole(path, text.encode())
        except OSError as error:
            raise WorkspaceError(
                f"{path} can't be written: {error.strerror or error}", "choose another --to"
            ) from error
    written = [path for path in files if str(path) != "-"]
    if written:
        place = written[0] if len(written) == 1 else f"{len(written)} files in {written[0].parent}"
        click.echo(f"wrote {place}")
