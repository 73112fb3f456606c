"""`kgrade new`: makes a workspace, the user's own folder for problems and submissions."""

from __future__ import annotations

from pathlib import Path

import click

from grader.core.errors import WorkspaceError

_README = """\
# A kgrade workspace

- `problems/`: your own problems, a folder each. The built-in ones are there without a folder;
  a folder of the same name takes a built-in problem's place.
- `submissions/`: what was submitted: the database `kgrade.db` and the report pages.
- `templates/`: your own versions of the pages' templates, where you want other pages.

Type these in this folder or below it:

    kgrade start
    kgrade list
    kgrade show matmul
    kgrade init matmul
    kgrade submit matmul matmul.cu
    kgrade leaderboard --html site
"""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path())
def command(folder: str) -> int:
    """Make the workspace DIR: a new or an empty folder."""
    root = Path(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise WorkspaceError(f"{root} is not empty", "name a new folder: kgrade new DIR")
        for name in ("problems", "submissions", "templates"):
            (root / name).mkdir()
        (root / "README.md").write_text(_README, encoding="utf-8")
    except FileExistsError:
        raise WorkspaceError(f"{root} is a file", "name a new folder: kgrade new DIR") from None
    except OSError as error:
        raise WorkspaceError(
            f"{root} can't be made: {error.strerror}", "name a folder that you may write to"
        ) from error
    click.echo(f"made the workspace {root}\nnext: cd {root} && kgrade start")
    return 0
