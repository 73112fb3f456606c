"""The cell magic `%%kgrade PROBLEM`: grades the cell's text and shows its Report below."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from typing import Any

import click

from grader.boards.words import visible
from grader.commands.options import Asked, asked_options, case_option, problem_argument
from grader.core.crash import write_crash_log
from grader.core.errors import KgradeError, UsageError
from grader.notebook.grade import grade
from grader.notebook.shown import ShownReport

NAME = "%%kgrade"
HELP = "type: %kgrade --help"


@click.command(epilog="The text of the cell is what is graded; nothing is recorded.")
@problem_argument
@case_option
@asked_options
def arguments(problem: str, sizes: tuple[dict[str, int], ...], asked: Asked) -> dict[str, Any]:
    """Grade this cell for PROBLEM and show its report."""
    return {"problem": problem, "sizes": sizes, **asdict(asked)}


def kgrade(line: str, cell: str | None = None) -> ShownReport | None:
    """Grades the cell for the problem named in the line, which may have options of `kgrade test`.

    Without a cell, as `%kgrade`, it says how it is used.
    """
    try:
        asked = arguments.main(["--help"] if cell is None else _words(line), prog_name=NAME, standalone_mode=False)
        # After --help there is nothing to grade.
        return grade(source=cell, **asked) if cell is not None and isinstance(asked, dict) else None
    except click.ClickException as error:
        message, hint = error.format_message(), HELP
    except KgradeError as error:
        message, hint = error.message, error.hint
        if "Traceback" in hint:
            message, hint = write_crash_log(error, [NAME, line])
    except Exception as error:
        message, hint = write_crash_log(error, [NAME, line])
    print(visible("\n  ".join(filter(None, (f"kgrade: {message}", hint)))), file=sys.stderr)
    return None


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext kgrade` calls: adds the cell magic to this IPython."""
    shell.register_magic_function(kgrade, "line_cell", "kgrade")


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{NAME} {line.strip()}: {error}", HELP) from None
