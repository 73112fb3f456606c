"""`kgrade debug`: steps through a kernel forward and back, in an editor or in the terminal; it needs no GPU."""

from __future__ import annotations

import secrets
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from grader.commands.engines import engines_of
from grader.commands.options import complete_problem, language_option, parse_sizes, workspace_of
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.debug.launch import Launch
    from grader.replay.trace import Trace


@click.command()
@click.argument("problem", required=False, shell_complete=complete_problem)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--case", metavar="SIZES", help="Debug these sizes, such as M=17,N=1,K=3. Default: the smallest that fail."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Of the inputs. Default: a new one.")
@click.option(
    "--block", metavar="X,Y,Z", help="Enter this block of the launch. Default: the one in which the case fails."
)
@click.option("--submission", type=click.IntRange(1), metavar="N", help="Debug an earlier submission: kgrade history.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Serve editors on this port; 0 for a free one."
)
@click.option("--terminal", is_flag=True, help="Debug here, by commands: step, back, break 12, watch C[5], print sum.")
@language_option
@click.pass_context
def command(
    ctx: click.Context,
    problem: str | None,
    file: str | None,
    case: str | None,
    seed: int | None,
    block: str | None,
    submission: int | None,
    port: int | None,
    terminal: bool,
    language: LanguageName | None,
) -> int:
    """Debug FILE for PROBLEM on the emulator: one block, line by line, forward and back.

    Without --terminal it is a debug adapter: editors talk to it on standard input and output in the Debug Adapter
    Protocol, and may say PROBLEM and FILE themselves.
    """
    from grader.debug.launch import Launch

    if case is not None:
        parse_sizes(case)
    if submission is not None and file is not None:
        raise UsageError(
            "--submission brings its own text, so that FILE is too much", f"kgrade debug --submission {submission}"
        )
    launch = None
    if file is not None or submission is not None:
        launch = Launch(problem or "", file or "", case or "", seed, submission, _index(block))
    elif any(given is not None for given in (problem, case, seed, block, port)) or terminal:
        raise UsageError(
            "what is to be debugged is not said: PROBLEM and FILE, or --submission, are missing",
            "type, for example: kgrade debug matmul matmul.cu --terminal",
        )
    record = _recorder(ctx, language)
    if terminal and port is not None:
        raise UsageError("--terminal and --port exclude each other", "leave one of them out")
    if launch is not None and terminal:
        from grader.debug.terminal import debug_in_terminal

        debug_in_terminal(record, launch, sys.stdin, _echo)
    elif launch is not None and port is not None:
        from grader.debug.server import serve_port

        serve_port(port, record, launch, lambda port: click.echo(f"listening on 127.0.0.1:{port}; Ctrl-C ends it"))
    else:
        from grader.debug.server import serve_stdio

        serve_stdio(record, launch)
    return 0


def _index(block: str | None) -> tuple[int, int, int] | None:
    from grader.debug.threads import parse_index
    from grader.debug.values import EvaluationError

    try:
        return None if block is None else parse_index(block)
    except EvaluationError as error:
        raise UsageError(f"--block: {error}", "type, for example: --block 2,0,1") from None


def _echo(text: str) -> None:
    """Prints lines, in which a submission's text and messages can't steer the terminal."""
    from grader.boards.words import visible

    click.echo("\n".join(visible(line.expandtabs(4)) for line in text.split("\n")))


def _recorder(ctx: click.Context, language: LanguageName | None) -> Callable[[Launch, Callable[[str], None]], Trace]:
    from grader.commands.recording import Recordings

    recordings = Recordings(engines_of(ctx), language)
    # One for all recordings of this process: a restart has to show the same steps.
    chosen = secrets.randbits(48)

    def record(launch: Launch, say: Callable[[str], None]) -> Trace:
        if launch.seed is None and launch.submission is None:
            launch = replace(launch, seed=chosen)
        return recordings.record(workspace_of(ctx), launch, say)

    return record
