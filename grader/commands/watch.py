"""`kgrade watch`: tests a file now and each time it is saved, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.engines import engines_of
from grader.commands.options import (
    Asked,
    case_option,
    device_option,
    file_argument,
    language_option,
    problem_argument,
    problems_option,
    user_name,
    workspace_of,
)
from grader.core.errors import KgradeError, SourceError, ToolMissing
from grader.core.verdict import LanguageName


@click.command()
@problem_argument
@file_argument
@case_option
@device_option
@language_option
@click.option("--cases", type=click.IntRange(1, 1000), default=Asked.cases, show_default=True, metavar="N")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Use the same seed each time.")
@problems_option
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    file: str,
    sizes: tuple[dict[str, int], ...],
    device: str,
    language: LanguageName | None,
    cases: int,
    seed: int | None,
    problem_set: str | None,
) -> int:
    """Test FILE for PROBLEM now and again each time it is saved. Ctrl-C ends it."""
    from grader.commands.grading import grade_file, print_result
    from grader.run.templates import use_templates
    from grader.sandbox import Sandbox
    from grader.terminal.console import messages, output, safe

    workspace, name, path = workspace_of(ctx), user_name(None), Path(file)
    engines = engines_of(ctx)
    asked = Asked(language=language, cases=cases, seed=seed, device=device)
    if problem_set is None:
        workspace.check_name(problem)
    else:
        from grader.problem.challenges.folder import ChallengeSet

        ChallengeSet(Path(problem_set)).find(problem)
    if not path.is_file():
        more = f" --language {language or LanguageName.TRITON}" if path.suffix == ".py" else ""
        raise SourceError(f"there is no file {file} to watch", f"type: kgrade init {problem} -o {file}{more}")
    console = output()
    try:
        for number, _ in enumerate(engines.saves(path)):
            if number == 1:
                # Templates make the first grading slower and all others faster.
                use_templates(Sandbox.find())
            console.clear()
            try:
                report = grade_file(
                    *(workspace, problem, file, asked, engines), user=name, sizes=sizes, problem_set=problem_set
                )
            except ToolMissing:
                # Saving the file won't install a compiler.
                raise
            except KgradeError as error:
                # An editor may leave the file empty or missing for a moment; the next save tries again.
                messages().print(f"kgrade: {safe(error.message)}", style="bold red")
            else:
                print_result(report, file, as_json=False)
            messages().print(f"\nwatching {file}; Ctrl-C ends", style="dim")
    except KeyboardInterrupt:
        click.echo(err=True)
    return 0
