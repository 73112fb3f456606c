"""`kgrade verify`: grade the worked submissions of problems and compare with what they declare."""

from __future__ import annotations

import os

import click

from grader.commands.options import any_problem_argument, workspace_of


@click.command()
@any_problem_argument
@click.option("--all", "show_all", is_flag=True, help="Show what passed too.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    metavar="N",
    help="How many to grade at once. Default: the number of processors.",
)
@click.pass_context
def command(ctx: click.Context, problem: str | None, show_all: bool, processes: int) -> int:
    """Grade the worked submissions of PROBLEM, or of all, against their declared verdicts.

    Trivial kernels, such as one that writes zeros, are tried too: no problem may accept them.
    Exit code 1 when any verdict, fault or line differs.
    """
    from rich.table import Table
    from rich.text import Text

    from grader.terminal.console import messages, output, safe
    from grader.verify import verify, works_of

    workspace = workspace_of(ctx)
    if problem is not None:
        workspace.check_name(problem)
    names = [problem] if problem is not None else list(workspace.problems)
    works = [work for name in names for work in works_of(name, workspace.problems[name])]
    outcomes = []
    with messages().status("starting") as status:
        for outcome in verify(works, processes=processes):
            outcomes.append(outcome)
            status.update(f"{len(outcomes)} of {len(works)}: {outcome.name}")
    console = output()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("submission", "got", "differs"):
        table.add_column(column)
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        if show_all or not outcome.passed:
            style = "green" if outcome.passed else "red"
            table.add_row(outcome.name, Text(outcome.got, style=style), safe(outcome.mismatch))
    if table.row_count:
        console.print(table)
    failed = sum(not outcome.passed for outcome in outcomes)
    console.print(
        f"{len(outcomes) - failed} of {len(outcomes)} as declared", style="red" if failed else "green"
    )
    return 1 if failed else 0
