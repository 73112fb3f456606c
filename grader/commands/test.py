"""`kgrade test`: grades a file and prints the report; nothing is recorded."""

from __future__ import annotations

import click

from grader.commands.engines import engines_of
from grader.commands.options import (
    Asked,
    case_option,
    file_argument,
    grading_options,
    problem_argument,
    problems_option,
    refuse_cases,
    user_name,
    workspace_of,
)


@click.command()
@problem_argument
@file_argument
@case_option
@problems_option
@grading_options
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str,
    sizes: tuple[dict[str, int], ...],
    asked: Asked,
    user: str | None,
    as_json: bool,
    problem_set: str | None,
) -> int:
    """Grade FILE for PROBLEM without recording it.

    Exit code 0 when it is accepted, 1 with any other verdict.
    """
    from grader.commands.grading import grade_file, print_result

    if problem_set is not None:
        refuse_cases(ctx)
    report = grade_file(
        *(workspace_of(ctx), problem, file, asked, engines_of(ctx)),
        user=user_name(user),
        sizes=sizes,
        quiet=as_json,
        problem_set=problem_set,
    )
    print_result(report, file, as_json=as_json)
    return report.verdict.facts.exit_code
