"""`kgrade contest archive`: the whole contest as one zip file."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.contests.common import contest_argument, database_option, open_contest
from grader.commands.options import report_mistakes, workspace_of


@click.command()
@contest_argument
@click.option("--to", metavar="FILE", help="Where to. Default: CONTEST.zip here.")
@click.option("--data-only", is_flag=True, help="Without the pages: what `restore` needs.")
@database_option
@click.pass_context
def command(ctx: click.Context, slug: str, to: str | None, data_only: bool, database: str | None) -> int:
    """Write CONTEST to a zip file: pages to open from disk, and the data that `restore` reads back.

    It holds everybody's code and e-mail addresses, and neither tokens nor sign-in links; you alone can read it.
    """
    from grader.contest.archive import write_archive
    from grader.contest.archive_site import archive_pages

    path = Path(to or f"{slug}.zip")
    workspace = workspace_of(ctx)
    problems, mistakes = ([], []) if data_only else workspace.load_all()
    titles = {problem.name: problem.title for problem in problems}
    with open_contest(ctx, database, slug) as found:
        pages = () if data_only else archive_pages(found, slug, titles, workspace.template_folders)
        counts = write_archive(found, slug, path, pages)
    click.echo(f"wrote {path}: {counts.accounts} accounts, {counts.submissions} submissions")
    return report_mistakes(mistakes)
