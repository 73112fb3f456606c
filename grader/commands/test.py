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
@click.option("--contest", metavar="NAME", help="Have this contest's server try it (kgrade login).")
@problems_option
@grading_options
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str,
    sizes: tuple[dict[str, int], ...],
    contest: str | None,
    asked: Asked,
    user: str | None,
    as_json: bool,
    problem_set: str | None,
) -> int:
    """Grade FILE for PROBLEM without recording it.

    With --contest the contest's server tries it, on visible cases: NAME is the contest's name or its site's address.

    Exit code 0 when it is accepted, 1 with any other verdict.
    """
    from grader.commands.grading import grade_file, print_result

    if problem_set is not None:
        refuse_cases(ctx)
    if contest is not None:
        from grader.commands.handing_in import refuse_options_of_home, try_out

        refuse_options_of_home(ctx)
        return try_out(contest, problem, file, sizes, as_json=as_json)
    report = grade_file(
        *(workspace_of(ctx), problem, file, asked, engines_of(ctx)),
        user=user_name(user),
        sizes=sizes,
        quiet=as_json,
        problem_set=problem_set,
    )
    print_result(report, file, as_json=as_json)
    return report.verdict.facts.exit_code
