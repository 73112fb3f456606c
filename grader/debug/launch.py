"""What is debugged, as a command line or an editor's configuration says it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.debug.arguments import Arguments, RequestError
from grader.debug.threads import parse_index
from grader.debug.values import EvaluationError
from grader.replay.model import Dim3
from grader.replay.trace import Trace

LARGEST_SEED = (1 << 63) - 1


@dataclass(frozen=True)
class Launch:
    """One run to record: a file for a problem, or an earlier submission by its number.

    `case` are sizes such as "M=17,N=1,K=3", "" for the smallest that fail; `seed` of the inputs, None for a new one;
    `block` the one to enter, None for the one in which the case fails.
    """

    problem: str
    file: str = ""
    case: str = ""
    seed: int | None = None
    submission: int | None = None
    block: Dim3 | None = None


Recorder = Callable[[Launch, Callable[[str], None]], Trace]
"""Records a launch, and says what it is at. Raises KgradeError."""


def launch_of(arguments: Arguments, given: Launch | None) -> Launch:
    """The launch that a client asks for; that of the command line, if it names one. Raises RequestError."""
    if given is not None:
        return given
    submission = arguments.integer("submission") if arguments.has("submission") else None
    file = arguments.text("file", arguments.text("program", ""))
    if not file and submission is None:
        raise RequestError("launch needs file, the path of a .cu or .py, or submission, a number of kgrade history")
    return Launch(
        arguments.text("problem", ""),
        file,
        arguments.text("case", ""),
        arguments.integer("seed", largest=LARGEST_SEED) if arguments.has("seed") else None,
        submission,
        _block_of(arguments),
    )


def _block_of(arguments: Arguments) -> Dim3 | None:
    if not arguments.has("block"):
        return None
    try:
        return parse_index(arguments.text("block"))
    except EvaluationError as error:
        raise RequestError(f"block: {error}") from None
