"""`kgrade autograder`: writes the archive with which Gradescope or Autolab grades by kgrade."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from grader.commands.options import complete_problem, workspace_of
from grader.core.errors import ToolMissing, UsageError, WorkspaceError


@click.command()
@click.argument("system", type=click.Choice(["gradescope", "autolab"]))
@click.argument("problems", metavar="PROBLEM...", nargs=-1, required=True, shell_complete=complete_problem)
@click.option("-o", "--output", required=True, metavar="FILE", help="Such as autograder.zip, or autograde.tar.")
@click.option(
    "--points", type=click.FloatRange(0, 10_000), default=10.0, show_default=True, help="For each accepted problem."
)
@click.option("--cases", type=click.IntRange(1, 1000), default=12, show_default=True, help="How many sizes to try.")
@click.option(
    "--deadline", type=click.IntRange(1, 86_400), default=300, show_default=True, help="Seconds for each problem."
)
@click.option("--cuda", type=click.Choice(["13", "12"]), default="13", show_default=True, help="Which CUDA to install.")
@click.pass_context
def command(
    ctx: click.Context,
    system: str,
    problems: tuple[str, ...],
    output: str,
    points: float,
    cases: int,
    deadline: int,
    cuda: str,
) -> int:
    """Write an autograder for Gradescope or Autolab that grades PROBLEM, or several, without a GPU.

    A student hands in PROBLEM.cu or PROBLEM.py for each; a single problem's file may have any name. All students are
    graded on the same cases, whose seed is drawn now.
    """
    try:
        from grader.contest.client_wheel import ClientWheel
    except ModuleNotFoundError as error:
        from grader.machine.own_install import extra_command

        raise ToolMissing(f"this needs {error.name}", f"type: {extra_command('server')}") from error
    from grader.autograders.archive import MAKEFILE, makefile, to_tar, to_zip
    from grader.autograders.run import Settings
    from grader.core.files import write_whole

    workspace = workspace_of(ctx)
    folders = {name: workspace.problems[name] for name in problems if name in workspace.problems}
    if missing := [name for name in problems if name not in folders]:
        raise UsageError(f"there is no problem '{missing[0]}'", "type: kgrade list")
    settings = Settings(dict.fromkeys(folders, points), secrets.randbits(48), cases, deadline)
    wheel = ClientWheel().get()
    pack = to_zip if system == "gradescope" else to_tar
    path, most = Path(output), points * len(folders)
    files = {path: pack(settings, folders, (wheel.name, wheel.content), f"cuda{cuda}")}
    if system == "autolab":
        files[path.with_name(MAKEFILE)] = makefile()
    try:
        for file, data in files.items():
            write_whole(file, data)
    except OSError as error:
        raise WorkspaceError(f"{output} can't be written: {error.strerror}", "name another file") from error
    click.echo(f"wrote {' and '.join(map(str, files))}, {len(files[path]):,} bytes, {most:g} points in all")
    click.echo("next: docs/hosting.md says where to upload it")
    return 0
