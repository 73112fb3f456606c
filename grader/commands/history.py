"""`kgrade history`: earlier submissions, newest first."""

from __future__ import annotations

import click

from grader.commands.options import any_problem_argument, contest_option, workspace_of
from grader.core.verdict import Verdict


@click.command()
@any_problem_argument
@click.option("--user", metavar="NAME", help="Only this user's.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="The newest N.")
@contest_option
@click.pass_context
def command(ctx: click.Context, problem: str | None, user: str | None, limit: int, contest: str | None) -> int:
    """List earlier submissions, to PROBLEM or to all, newest first."""
    if contest is not None:
        from grader.commands.at_contest import refuse_options, show_history

        refuse_options(ctx, "user")
        return show_history(contest, problem, limit)
    from rich.text import Text

    from grader.store.database import Store
    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    workspace = workspace_of(ctx)
    entries = Store(workspace.database).summaries(problem, user)
    if problem is not None and not entries:
        workspace.check_name(problem)
    if not entries:
        click.echo("nothing was submitted yet; start with: kgrade submit PROBLEM FILE")
        return 0
    table = plain_table(
        "no", "date", "problem", "user", "file", "language", "verdict", numbers=("no",), whole=("date",)
    )
    for entry in reversed(entries[-limit:]):
        detail = entry.fault or entry.kind
        words = f"{entry.verdict}: {detail}" if detail else str(entry.verdict)
        table.add_row(
            str(entry.id),
            entry.submitted.astimezone().strftime("%Y-%m-%d %H:%M"),
            entry.problem,
            safe(entry.user),
            safe(entry.file),
            str(entry.language),
            Text(words, style="green" if entry.verdict is Verdict.ACCEPTED else "red"),
        )
    console = output()
    console.print(table)
    if len(entries) > limit:
        console.print(f"{len(entries) - limit} older ones: kgrade history --limit {len(entries)}", style="dim")
    return 0
