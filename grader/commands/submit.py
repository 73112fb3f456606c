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
    gpu_option,
    grading_options,
    problem_argument,
    problems_option,
    refuse_cases,
    user_name,
    workspace_of,
)
from grader.core.errors import KgradeError
from grader.core.verdict import Verdict


@click.command()
@problem_argument
@file_argument
@click.option("--contest", metavar="NAME", help="Hand it in to this contest, whose server grades it (kgrade login).")
@problems_option
@click.option(
    "--model/--no-model",
    default=True,
    help="Where the emulator accepts it, compute its model time, by which boards rank without a GPU.",
)
@gpu_option
@grading_options
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str,
    contest: str | None,
    model: bool,
    gpu_name: str,
    asked: Asked,
    user: str | None,
    as_json: bool,
    problem_set: str | None,
) -> int:
    """Grade FILE for PROBLEM, record it, and write its report page.

    With --contest it is graded and recorded by the contest's server. What the emulator accepts is ranked by a time that
    a model computes for --gpu; Ctrl-C meanwhile records it without.

    Exit code 0 when it is accepted, 1 with any other verdict.
    """
    from grader.commands.grading import grade_file, print_result
    from grader.model.gpus import gpu_named

    if problem_set is not None:
        refuse_cases(ctx)
    if contest is not None:
        from grader.commands.handing_in import hand_in, refuse_options_of_home

        refuse_options_of_home(ctx)
        return hand_in(contest, problem, file, as_json=as_json)
    workspace, name, engines = workspace_of(ctx), user_name(user), engines_of(ctx)
    # A name that is not known is told before anything is graded.
    gpu = gpu_named(gpu_name) if model else None
    with engines.filing(workspace) as filing:
        report = grade_file(
            *(workspace, problem, file, asked, engines),
            user=name,
            quiet=as_json,
            problem_set=problem_set,
            filing=filing,
            replay=True,
            model_gpu=gpu,
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
    if report.verdict is Verdict.ACCEPTED and problem_set is None and not as_json:
        from grader.commands.leading import next_after

        key = f"{problem}/{report.mend.exercise}" if report.mend else problem
        if leads_on := next_after(workspace, filed.solved, key):
            click.echo(f"  next      {leads_on}")
    return report.verdict.facts.exit_code


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Ignores Ctrl-C: after it, kgrade says "nothing was recorded", which has to be true."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
