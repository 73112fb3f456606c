"""The command line's entrance: a click group that knows the commands' names, and what every failure prints.

It imports nothing of the grader: a command's module is loaded when that command is called.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from errno import ENAMETOOLONG
from reprlib import repr as short
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.commands.lazy import LazyGroup
from grader.core.errors import KgradeError
from grader.terminal import ascii

if TYPE_CHECKING:
    from grader.commands.engines import Engines

COMMANDS: dict[str, str] = {
    "start": "Say what to type next.",
    "submit": "Grade a kernel, record it, and write its report page.",
    "test": "Grade a kernel without recording it.",
    "check": "Grade files and print what is wrong at their lines, for pre-commit and CI.",
    "explain": "Say what each line of a kernel costs, and what to change first.",
    "debug": "Step through a kernel forward and back, in an editor or the terminal.",
    "watch": "Test a kernel again each time its file is saved.",
    "help": "Say what a fault is, what causes it, and how to see it.",
    "list": "List the problems and how far you are with each.",
    "show": "Show a problem's statement.",
    "init": "Write a problem's starter file.",
    "mend": "Make faulty kernels right by the smallest change.",
    "leaderboard": "Show the ranking, or write it as web pages.",
    "history": "List earlier submissions.",
    "verify": "Grade the worked submissions of problems against their declared verdicts.",
    "bench": "Time several files side by side, in turns, on a GPU.",
    "ceilings": "Show what this machine's GPU reached, and its data sheet.",
    "contest": "Host a contest: set it up, run it, hand out its results.",
    "serve": "Serve the problems and contests of this workspace in the browser, and judge what is submitted.",
    "worker": "Let this machine judge for a contest's server.",
    "autograder": "Write an autograder for Gradescope or Autolab.",
    "login": "Sign in to a contest's server.",
    "new": "Make a workspace: a folder for problems and submissions.",
    "new-problem": "Make a problem's folder, to be changed into your own.",
    "doctor": "Say what grading needs and what of it is here.",
    "mcp": "Let agents list, show, test and explain, over the Model Context Protocol.",
    "schema": "Print the JSON Schema of what test and submit print with --json.",
    "completion": "Set up completion of commands and problem names in your shell.",
}
"""Every command `NAME` is `grader/commands/NAME.py`, with _ for -, whose `command` is a click command."""

SUCCESS, OTHER_VERDICT, WRONG_USAGE, JUDGE_FAILED, INTERRUPTED = 0, 1, 2, 3, 130


class Commands(LazyGroup):
    package = "grader.commands"
    table = COMMANDS


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 accepted, 1 any other verdict, 2 wrong usage, 3 the judge's own failure.",
)
@click.option(
    "--workspace",
    metavar="DIR",
    envvar="KGRADE_WORKSPACE",
    help="The folder with problems/ and submissions/. Default: the nearest one above the working folder.",
)
@click.version_option(__version__, prog_name="kgrade")
def group(workspace: str | None) -> None:
    """Grade CUDA kernels, with a GPU or without one.

    Type 'kgrade start' to be led, or 'kgrade list' to choose for yourself.
    """


def main() -> None:
    """The `kgrade` command."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], engines: Engines | None = None) -> int:
    """Carry out one command line and return its exit code; whatever fails is said in one clear message.

    `engines` are what commands have the work done by, None for kgrade's own.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character gets its nearest neighbour instead of a failure.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=ascii.ERRORS)
    as_json = "--json" in arguments
    try:
        code = group.main(list(arguments), prog_name="kgrade", standalone_mode=False, obj=engines)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (such as `head`) has gone: hand the rest, and Python's own flush at exit, to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OTHER_VERDICT
    except KgradeError as error:
        message, hint = error.message, error.hint
        if "Traceback" in hint:
            from grader.core.crash import write_crash_log

            message, hint = write_crash_log(error, arguments)
        return _fail(message, hint, error.exit_code, as_json)
    except click.ClickException as error:
        return _fail(error.format_message(), _usage_hint(error), WRONG_USAGE, as_json)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; nothing was recorded", "", INTERRUPTED, as_json)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == ENAMETOOLONG:
            message = f"no path can be as long as {short(error.filename)}"
            return _fail(message, "name a shorter one", WRONG_USAGE, as_json)
        from grader.core.crash import write_crash_log

        message, hint = write_crash_log(error, arguments)
        return _fail(message, hint, JUDGE_FAILED, as_json)
    return code if isinstance(code, int) else SUCCESS


def _usage_hint(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    return f"type: {ctx.command_path} --help" if ctx is not None else "type: kgrade --help"


def _fail(message: str, hint: str, code: int, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"error": message, "hint": hint}))
    else:
        from grader.boards.words import no_command, visible

        # A process that a submission got hold of chose the words of its error.
        click.echo(no_command(visible(f"kgrade: {message}")), err=True)
        if hint:
            click.echo(no_command(visible(f"  {hint}")), err=True)
    return code
