"""What is debugged, as a command line or an editor's configuration says it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.debug.arguments import Arguments, RequestError
from grader.replay.trace import Trace

LARGEST_SEED = (1 << 63) - 1


@dataclass(frozen=True)
class Launch:
    """One run to record: a file for a problem, or an earlier submission by its number.

    `case` are sizes such as "M=17,N=1,K=3", "" for the smallest that fail; `seed` of the inputs, None for a new one.
    """

    problem: str
    file: str = ""
    case: str = ""
    seed: int | None = None
    submission: int | None = None


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
    )
