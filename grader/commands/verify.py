"""`kgrade verify`: grades the worked submissions of problems and compares the results with their declarations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from grader.commands.engines import engines_of
from grader.commands.options import any_problem_argument, workspace_of

if TYPE_CHECKING:
    from grader.judge.verify import Outcome


@click.command()
@any_problem_argument
@click.option(
    "--seeds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="How many draws of cases to grade each file with.",
)
@click.option("--all", "show_all", is_flag=True, help="Show what passed too.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    metavar="N",
    help="How many to grade at once. Default: the number of processors.",
)
@click.pass_context
def command(ctx: click.Context, problem: str | None, seeds: int, show_all: bool, processes: int) -> int:
    """Grade the worked submissions of PROBLEM, or of all, against their declared verdicts.

    Trivial kernels, such as one that writes zeros, are tried too: no problem may accept them.
    Exit code 1 when any verdict, fault or line differs.
    """
    from grader.compile.toolkit import find_toolkit
    from grader.judge.verify import missing_for, missing_here, works_of
    from grader.terminal.console import messages

    # Without this, every work would report the missing compiler on its own line, and none would say what to type.
    find_toolkit()
    workspace = workspace_of(ctx)
    if problem is not None:
        workspace.check_name(problem)
    names = [problem] if problem is not None else list(workspace.problems)
    here = missing_here()
    found = [(work, missing_for(work, here)) for name in names for work in works_of(name, workspace.problems[name])]
    works = [work for work, missing in found if not missing]
    for missing in sorted({missing for _, missing in found if missing}):
        left_out = sum(1 for _, one in found if one == missing)
        messages().print(f"{left_out} files with their own solve() are left out: {missing}", soft_wrap=True)
    outcomes = []
    with messages().status("starting") as status:
        for outcome in engines_of(ctx).verify(works, processes=processes, seeds=seeds):
            outcomes.append(outcome)
            status.update(f"{len(outcomes)} of {len(works)}: {outcome.name}")
    outcomes.sort(key=lambda outcome: outcome.name)
    print_outcomes(outcomes if show_all else [outcome for outcome in outcomes if not outcome.passed])
    print_summary(outcomes)
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def print_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Prints each outcome, and the difference if it is not as declared."""
    from rich.padding import Padding
    from rich.text import Text

    from grader.terminal.console import output, safe

    console = output()
    for outcome in outcomes:
        style = "green" if outcome.passed else "red"
        console.print(Text.assemble((f"{outcome.name}: ", "bold"), (outcome.got, style)), soft_wrap=True)
        if outcome.mismatch:
            console.print(Padding(Text(safe(outcome.mismatch)), (0, 0, 0, 4), expand=False))
    if outcomes:
        console.print()


def print_summary(outcomes: Sequence[Outcome]) -> None:
    """Prints one row per problem: how many of its works were graded as declared."""
    from rich.text import Text

    from grader.terminal.console import output
    from grader.terminal.table import plain_table

    table = plain_table("problem", "as declared", "of", numbers=("as declared", "of"))
    for problem in dict.fromkeys(outcome.problem for outcome in outcomes):
        own = [outcome.passed for outcome in outcomes if outcome.problem == problem]
        table.add_row(problem, Text(str(sum(own)), style="green" if all(own) else "red"), str(len(own)))
    output().print(table)
