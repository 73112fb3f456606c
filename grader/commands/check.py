"""`kgrade check`: grades files and prints findings at their lines, for pre-commit and continuous integration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.engines import Engines, engines_of
from grader.commands.options import Asked, asked_options, complete_problem, workspace_of
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.findings.finding import Finding
    from grader.store.workspace import Workspace


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option(
    "--problem",
    metavar="PROBLEM",
    shell_complete=complete_problem,
    help="What all the files are for. Default: what a comment in each says, or the folder that it lies in.",
)
@click.option("--github", is_flag=True, help="Print workflow commands, which GitHub shows at the lines of a change.")
@click.option("--sarif", metavar="FILE", type=click.Path(), help="Write the findings to this file as SARIF 2.1.0.")
@asked_options
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], problem: str | None, github: bool, sarif: str | None, asked: Asked
) -> int:
    """Grade each FILE without recording it, and print what is wrong, one finding a line: file:line: message.

    A file says which problem it is for by a comment in its first lines, // kgrade: matmul or # kgrade: matmul, or by a
    folder above it that is named like the problem.

    Exit code 0 when all are accepted, 1 with any other verdict, 2 when a file can't be graded, 3 when the judge failed.
    """
    from grader.findings.lines import github_line, plain_line

    workspace, worst = workspace_of(ctx), 0
    findings: list[Finding] = []
    if problem is not None:
        workspace.check_name(problem)
    for found, code in _check(workspace, files, problem, asked, engines_of(ctx)):
        findings += found
        worst = max(worst, code)
        for finding in found:
            click.echo(github_line(finding) if github else plain_line(finding))
    if sarif is not None:
        _write_sarif(Path(sarif), findings)
    return worst


def _check(
    workspace: Workspace, files: Sequence[str], problem: str | None, asked: Asked, engines: Engines
) -> Iterator[tuple[Sequence[Finding], int]]:
    """Yields the findings of each file and its exit code."""
    from grader.commands.grading import grade_file
    from grader.findings.finding import findings_of, not_graded
    from grader.findings.problem_name import problem_of

    for number, file in enumerate(dict.fromkeys(files)):
        path = Path(file)
        if number == 1:
            from grader.run.templates import use_templates

            # Templates make the first grading slower and all others faster.
            use_templates(engines.sandbox())
        try:
            _refuse_links(path)
            name = problem or problem_of(path, workspace)
            report = grade_file(workspace, name, file, asked, engines, user="", quiet=True)
        except UsageError as error:
            # The other files are worth a look all the same.
            yield [not_graded(path, error.message, error.hint)], error.exit_code
        else:
            yield findings_of(report, path), report.verdict.facts.exit_code


def _refuse_links(path: Path) -> None:
    """Raises UsageError if the file or, of a relative path, a folder of it is a link.

    A change that others propose may hold links to any file of the machine, and what the compiler says of it is printed.
    """
    for place in (path,) if path.is_absolute() else (path, *path.parents):
        if place.is_symlink():
            raise UsageError(f"{place} is a link", "Give the path of the file itself.")


def _write_sarif(path: Path, findings: Sequence[Finding]) -> None:
    from grader.core.files import write_whole
    from grader.findings.sarif import sarif_log

    try:
        write_whole(path, json.dumps(sarif_log(findings), indent=1).encode())
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}", "choose another file for --sarif") from error
