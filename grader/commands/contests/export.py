"""`kgrade contest export`: results for a spreadsheet, Gradescope or Autolab."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from grader.commands.contests.common import contest_argument, database_option, opened_with
from grader.errors import UsageError, WorkspaceError

if TYPE_CHECKING:
    from grader.contest.scoreboard import Row
    from grader.contest.settings import Settings

FORMATS = ("csv", "gradescope", "autolab")


@click.command()
@contest_argument
@click.option("--format", "kind", type=click.Choice(FORMATS), default="csv", show_default=True)
@click.option("--user", metavar="NAME", help="Only this student's or team's.")
@click.option("--to", metavar="PATH", help="The CSV file; or the folder for one file a student, by e-mail address.")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, kind: str, user: str | None, to: str | None, database: str | None) -> int:
    """Write the results of CONTEST, with everything that a freeze hides.

    csv prints one table. gradescope writes a results.json for each student, autolab the line that ends an autograder's
    output; with --user they are printed.
    """
    from grader.contest import exports
    from grader.contest.standing import emails, standing

    with opened_with(ctx, database, slug) as found:
        current = standing(found, slug, everything=True)
        addresses = emails(current.settings, found.accounts(slug))
    rows = [row for row in current.rows if user in (None, row.who)]
    if user is not None and not rows:
        raise UsageError(f"nobody called '{user}' is on the scoreboard", f"type: kgrade contest export {slug}")
    if kind == "csv":
        files = {Path(to or "-"): exports.to_csv(current.settings, rows, addresses)}
    elif to is None and user is not None:
        files = {Path("-"): _one(kind, current.settings, rows[0])}
    elif to is None:
        raise UsageError("a folder is needed for one file a student", f"add --to {slug}-{kind}")
    else:
        files = {
            # An address may hold what means something in a path.
            Path(to) / f"{quote(address, safe='@+')}.{'json' if kind == 'gradescope' else 'txt'}": _one(
                kind, current.settings, row
            )
            for row in rows
            for address in addresses[row.who].split()
        }
    _write(files)
    return 0


def _one(kind: str, settings: Settings, row: Row) -> str:
    from grader.contest import exports

    return exports.to_gradescope(settings, row) if kind == "gradescope" else exports.to_autolab(row)


def _write(files: dict[Path, str]) -> None:
    from grader.whole_files import write_whole

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
