"""`kgrade submit`: grades a file, records the submission, writes its report page, and prints the report."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from grader.commands.engines import engines_of
from grader.commands.options import (
    Asked,
    file_argument,
    grading_options,
    problem_argument,
    problems_option,
    refuse_cases,
    user_name,
    workspace_of,
)
from grader.core.errors import KgradeError, UsageError


@click.command()
@problem_argument
@file_argument
@click.option("--contest", metavar="NAME", help="Hand it in to this contest, whose server grades it (kgrade login).")
@problems_option
@grading_options
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str,
    contest: str | None,
    asked: Asked,
    user: str | None,
    as_json: bool,
    problem_set: str | None,
) -> int:
    """Grade FILE for PROBLEM, record it, and write its report page.

    With --contest it is graded and recorded by the contest's server.

    Exit code 0 when it is accepted, 1 with any other verdict.
    """
    from grader.commands.grading import grade_file, print_result

    if problem_set is not None:
        refuse_cases(ctx)
    if contest is not None:
        from grader.commands.handing_in import hand_in

        _refuse_options_of_home(ctx)
        return hand_in(contest, problem, file, as_json=as_json)
    workspace, name, engines = workspace_of(ctx), user_name(user), engines_of(ctx)
    with engines.filing(workspace) as filing:
        report = grade_file(
            *(workspace, problem, file, asked, engines),
            user=name,
            quiet=as_json,
            problem_set=problem_set,
            filing=filing,
            replay=True,
        )
        try:
            with _without_interruption():
                filed = filing.file(report)
        except KgradeError:
            if not as_json:
                # Show the verdict even if it can't be recorded.
                print_result(report, file, as_json=False)
            raise
    if filed.remark:
        click.echo(f"kgrade: {filed.remark}", err=True)
    print_result(report, file, as_json=as_json, number=filed.number, page=filed.page)
    return report.verdict.facts.exit_code


def _refuse_options_of_home(ctx: click.Context) -> None:
    """Raises UsageError for options without effect in a contest, which decides how its submissions are graded."""
    for name in ("user", "cases", "seed", "device", "require_sandbox", "problem_set"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "problems" if name == "problem_set" else name.replace("_", "-")
            raise UsageError(f"--{option} has no effect with --contest: the contest decides", f"leave --{option} out")
    if ctx.get_parameter_source("language") is click.core.ParameterSource.COMMANDLINE:
        raise UsageError(
            "--language has no effect with --contest: the server sees the language from the file",
            "leave --language out; the first line of a .py file may say it, as in # language: triton",
        )


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Ignores Ctrl-C: after it, kgrade says "nothing was recorded", which has to be true."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
