"""`kgrade new-problem`: makes a problem folder to adapt, which passes `kgrade verify` as it is."""

from __future__ import annotations

import re
from pathlib import Path

import click

from grader.commands.options import workspace_of
from grader.core.errors import UsageError, WorkspaceError
from grader.store.workspace import builtin_folder

TO_CHANGE = {
    "problem.py": "the signature, the ranges of the sizes, the reference, the launch, the cost",
    "statement.md": "what to compute, with an example and the launch",
    "starter.cu": "the kernel and solve(), to be filled in",
    "submissions/": "right and faulty files, each in the folder of its verdict",
}


@click.command()
@click.argument("name", metavar="NAME")
@click.pass_context
def command(ctx: click.Context, name: str) -> int:
    """Make the problem NAME in the workspace: a scaled sum of two vectors, to be changed into yours."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise UsageError(
            f"'{name}' can't be a problem's name: lower-case letters, digits, - and _ only",
            "type, for example: kgrade new-problem max_pooling",
        )
    workspace = workspace_of(ctx)
    if name in workspace.problems:
        raise UsageError(f"there is a problem '{name}' in {workspace.problems[name]}", "name another one")
    folder = workspace.root / "problems" / name
    try:
        folder.mkdir(parents=True)
        _write(folder, name)
    except OSError as error:
        raise WorkspaceError(
            f"{folder} can't be made: {error.strerror}", "name another problem or workspace"
        ) from error
    click.echo(f"made {folder}, which adds a scaled vector to another; change in it:")
    width = max(map(len, TO_CHANGE))
    for file, what in TO_CHANGE.items():
        click.echo(f"  {file:<{width}}  {what}")
    click.echo(f"next: kgrade verify {name}")
    return 0


def _write(folder: Path, name: str) -> None:
    """Copies the example, replacing its name and its kernel's name."""
    source = builtin_folder("templates") / "problem"
    identifier = name.replace("-", "_")
    kernel = f"kernel_{identifier}" if identifier[0].isdigit() else f"{identifier}_kernel"
    title = re.sub("[-_]+", " ", name).strip().capitalize()
    for file in sorted(source.rglob("*")):
        if file.is_file() and file.suffix in (".py", ".md", ".cu"):
            target = folder / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text(encoding="utf-8").replace("example_kernel", kernel).replace("Example:", f"{title}:")
            text = text.replace('"Example"', f'"{title}"').replace("# Example\n\nScale", f"# {title}\n\nScale")
            target.write_text(text, encoding="utf-8")
